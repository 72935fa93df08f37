/** The only file that imports the command-line library. */
export { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
