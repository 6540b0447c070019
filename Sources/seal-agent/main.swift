import Glibc
import ProtectionAgent

exit(AgentProgram.run())
