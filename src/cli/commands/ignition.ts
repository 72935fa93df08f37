import { InvalidInput } from '../../base/errors.ts'
import type { Version } from '../../ignition/convert/versions.ts'
import { supportedVersions, versionNamed } from '../../ignition/convert/versions.ts'
import { Command, InvalidArgumentError } from '../commander.ts'
import type { Terminal } from '../terminal.ts'

/** Where a file's name stands, `-` is standard input. */
const fileHelp = 'an Ignition config, or - for standard input'

export function ignitionCommand(terminal: Terminal): Command {
  return new Command('ignition')
    .description('work with Ignition configs of spec 2.2 and 3.0 to 3.5')
    .addCommand(validateCommand(terminal))
    .addCommand(convertCommand(terminal))
    .addCommand(mergeCommand(terminal))
}

function validateCommand(terminal: Terminal): Command {
  return new Command('validate')
    .description('say what is wrong with a config, and where; fails if it cannot be used')
    .argument('<file>', fileHelp)
    .action(async (file: string) => {
      const { validateText } = await import('./ignition-validate.ts')
      const { json, problem } = validateText(await terminal.read(file), nameOf(file))
      terminal.out(`${JSON.stringify(json, null, 2)}\n`)
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
      terminal.out(convertText(await terminal.read(file), nameOf(file), to))
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
      terminal.out(mergeTexts(inputs))
    })
}

function versionArgument(text: string): Version {
  const version = versionNamed(text)
  if (!version) throw new InvalidArgumentError(`Use one of ${supportedVersions.join(', ')}.`)
  return version
}

const nameOf = (file: string): string => (file === '-' ? 'standard input' : file)
