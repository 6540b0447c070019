extension Shell {
    /// For bash 4.4 and later.
    static let bashScript = #"""
        # Completion for seal in bash; made by: seal help --completion bash
        _seal() {
            local word line kind start="" ended=""
            local -a words=() lines=()
            COMPREPLY=()
            # Bash takes an equals sign for a word of its own.
            for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
                if [[ $word == "=" && ${#words[@]} -gt 0 && ${words[-1]} == --* ]]; then
                    words[-1]+="="
                    ended=1
                elif [[ -n $ended ]]; then
                    words[-1]+=$word
                    ended=""
                else
                    words+=("$word")
                fi
            done
            word=${words[-1]}
            if [[ $word == --*=* ]]; then
                start=${word%%=*}=
                word=${word#*=}
            fi
            mapfile -t lines < <(
                command "${1/#\~\//$HOME/}" complete-words bash "${words[@]/#/:}" 2>/dev/null
            )
            kind=${lines[0]-}
            case $kind in
                files) compopt -o default ;;
                folders) compopt -o dirnames ;;
                words)
                    for line in "${lines[@]:1}"; do
                        line=${line#"$start"}
                        [[ $line == */ ]] && compopt -o nospace
                        [[ $word == [\"\']* ]] || printf -v line %q "$line"
                        COMPREPLY+=("$line")
                    done
                    ;;
            esac
        }
        complete -F _seal seal

        """#
}
