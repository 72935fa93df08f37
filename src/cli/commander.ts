/** The only file that knows the command-line library. */
export { Command, CommanderError, InvalidArgumentError } from 'commander'
