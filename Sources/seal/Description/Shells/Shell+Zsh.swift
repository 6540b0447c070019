extension Shell {
    /// For zsh 5.
    static let zshScript = #"""
        #compdef seal
        # Completion for seal in zsh; made by: seal help --completion zsh
        _seal() {
            local line word
            local -a lines typed going going_shown ending ending_shown
            typed=("${(@Q)words[2,CURRENT]}")
            lines=("${(@f)$(command ${(Q)words[1]} complete-words zsh "${(@)typed/#/:}" \
                2>/dev/null)}")
            case $lines[1] in
                files) compset -P '--*='; _files ;;
                folders) compset -P '--*='; _files -/ ;;
                words)
                    for line in "${(@)lines[2,-1]}"; do
                        word=${line%%$'\t'*}
                        line=${line//$'\t'/  -- }
                        if [[ $word == */ ]]; then
                            going+=("$word")
                            going_shown+=("$line")
                        else
                            ending+=("$word")
                            ending_shown+=("$line")
                        fi
                    done
                    compadd -l -S '' -d going_shown -- "${(@)going}"
                    compadd -l -d ending_shown -- "${(@)ending}"
                    ;;
            esac
        }
        if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
            _seal "$@"
        else
            compdef _seal seal
        fi

        """#
}
