import { InvalidInput } from '@machinist/core/errors'
import type { Version } from '@machinist/ignition/convert/versions'
import { supportedVersions, versionNamed } from '@machinist/ignition/convert/versions'
import { Command, InvalidArgumentError } from '../commander.ts'
import type { Terminal } from '../../process/terminal.ts'

/** Where a file's name stands, `-` is standard input. */
const fileHelp = 'an Ignition config, or - for standard input'

export function ignitionCommand(terminal: Terminal): Command {
  return new Command('ignition')
    .description('work with Ignition configs of spec 2.2 and 3.0 to 3.5')
    .addCommand(validateCommand(terminal))
    .addCommand(convertCommand(terminal))
    .addCommand(mergeCommand(terminal))
}

interface ValidateOptions {
  readonly output: 'text' | 'json'
}

function validateCommand(terminal: Terminal): Command {
  const command = new Command('validate')
    .description(
      'report mistakes in Ignition configs and MachineConfigs, with their place and a hint; exit code 1 if one cannot be used',
    )
    .argument(
      '<file...>',
      'an Ignition config as JSON or YAML, MachineConfigs as JSON or YAML (any number of documents, lists as kubectl prints them), or - for standard input',
    )
  command.addOption(
    command
      .createOption('-o, --output <format>', 'how to print the result')
      .choices(['text', 'json'])
      .default('text'),
  )
  return command.action(async (files: string[], { output }: ValidateOptions) => {
    if (files.filter((file) => file === '-').length > 1) {
      command.error('standard input can be read only once')
    }
    const { validateSources } = await import('./ignition-validate.ts')
    const sources = []
    for (const file of files) {
      sources.push({ text: await terminal.read(file), origin: nameOf(file) })
    }
    const { json, lines, problem } = validateSources(sources)
    terminal.out(output === 'json' ? `${JSON.stringify(json, null, 2)}\n` : `${lines.join('\n')}\n`)
    if (problem !== undefined) throw new InvalidInput(problem)
  })
}

function convertCommand(terminal: Terminal): Command {
  return new Command('convert')
    .description('rewrite a config in another version of the spec, or say why that cannot be done')
    .requiredOption('--to <version>', `one of ${supportedVersions.join(', ')}`, versionArgument)
    .argument('<file>', fileHelp)
    .action(async (file: string, { to }: { to: Version }) => {
      const { convertText } = await import('./ignition-convert.ts')
      terminal.out(convertText(await terminal.read(file), nameOf(file), to, warning(terminal)))
    })
}

function mergeCommand(terminal: Terminal): Command {
  return new Command('merge')
    .description('merge configs into one of the newest version; later files win')
    .argument('<file...>', fileHelp)
    .action(async (files: string[]) => {
      const { mergeTexts } = await import('./ignition-merge.ts')
      const inputs = await Promise.all(
        files.map(async (file) => ({ text: await terminal.read(file), origin: nameOf(file) })),
      )
      terminal.out(mergeTexts(inputs, warning(terminal)))
    })
}

function versionArgument(text: string): Version {
  const version = versionNamed(text)
  if (!version) throw new InvalidArgumentError(`Use one of ${supportedVersions.join(', ')}.`)
  return version
}

const warning =
  (terminal: Terminal) =>
  (line: string): void =>
    terminal.error(`machinist: ${line}\n`)

const nameOf = (file: string): string => (file === '-' ? 'standard input' : file)
