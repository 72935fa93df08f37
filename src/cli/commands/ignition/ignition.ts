import { InvalidInput } from '@machinist/core/errors'
import type { IgnitionVersion } from '@machinist/ignition/convert/versions'
import { supportedVersions, versionNamed } from '@machinist/ignition/convert/versions'
import { Command, InvalidArgumentError } from '../../options/commander.ts'
import type { Terminal } from '../../../process/terminal.ts'

const fileHelp = 'Ignition config file, or - for standard input'

export function ignitionCommand(terminal: Terminal): Command {
  return new Command('ignition')
    .description('validate, convert and merge Ignition configs of spec 2.2 and 3.0 to 3.5')
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
      'validate Ignition configs and MachineConfigs; report each mistake with its position and a hint; exit with 1 if one is invalid',
    )
    .argument(
      '<file...>',
      'Ignition config or MachineConfigs as JSON or YAML (several documents and lists are allowed), or - for standard input',
    )
  command.addOption(
    command
      .createOption('-o, --output <format>', 'output format')
      .choices(['text', 'json'])
      .default('text'),
  )
  return command.action(async (files: string[], { output }: ValidateOptions) => {
    if (files.filter((file) => file === '-').length > 1) {
      command.error('standard input can be read only once')
    }
    const { validateSources } = await import('../../../views/ignition/validation.ts')
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
    .description('convert a config to another version of the spec')
    .requiredOption(
      '--to <version>',
      `target version: ${supportedVersions.join(', ')}`,
      versionArgument,
    )
    .argument('<file>', fileHelp)
    .action(async (file: string, { to }: { to: IgnitionVersion }) => {
      const { convertText } = await import('./convert.ts')
      terminal.out(convertText(await terminal.read(file), nameOf(file), to, warning(terminal)))
    })
}

function mergeCommand(terminal: Terminal): Command {
  return new Command('merge')
    .description('merge configs into one config of the newest version; later files win')
    .argument('<file...>', fileHelp)
    .action(async (files: string[]) => {
      const { mergeTexts } = await import('./merge.ts')
      const inputs = await Promise.all(
        files.map(async (file) => ({ text: await terminal.read(file), origin: nameOf(file) })),
      )
      terminal.out(mergeTexts(inputs, warning(terminal)))
    })
}

function versionArgument(text: string): IgnitionVersion {
  const version = versionNamed(text)
  if (!version) throw new InvalidArgumentError(`Expected one of ${supportedVersions.join(', ')}.`)
  return version
}

const warning =
  (terminal: Terminal) =>
  (line: string): void =>
    terminal.error(`machinist: ${line}\n`)

const nameOf = (file: string): string => (file === '-' ? 'standard input' : file)
