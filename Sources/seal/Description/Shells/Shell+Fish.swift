extension Shell {
    /// For fish 3.
    static let fishScript = #"""
        # Completion for seal in fish; made by: seal help --completion fish
        function __seal_complete
            set -l typed (commandline -opc) (commandline -ct)
            set -l lines (command $typed[1] complete-words fish :$typed[2..-1] 2>/dev/null)
            switch "$lines[1]"
                case files
                    __fish_complete_path (commandline -ct)
                case folders
                    __fish_complete_directories (commandline -ct)
                case words
                    printf '%s\n' $lines[2..-1]
            end
        end
        complete -c seal -f -a '(__seal_complete)'

        """#
}
