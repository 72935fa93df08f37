import { InvalidInput } from '@machinist/core/errors'
import { bootstrap } from '../../../bootstrap/bootstrap.ts'
import type { BootstrapProblem } from '../../../bootstrap/manifests/manifest.ts'
import { problemText } from '../../../bootstrap/manifests/manifest.ts'
import { loadTemplates } from '../../../process/templates.ts'
import type { Terminal } from '../../../process/terminal.ts'
import { version } from '../../../process/version.ts'
import { escapeControls } from '../../text/style.ts'
import type { BootstrapCommandOptions } from './bootstrap.ts'
import { checkOutputDirectory, writeOutputDirectory } from './output-directory.ts'
import { readManifestFiles } from './read-manifest-files.ts'

/** Reads the manifests, renders, and writes the output. Prints the rendered config of each pool. */
export async function runBootstrap(
  options: BootstrapCommandOptions,
  terminal: Pick<Terminal, 'out' | 'error' | 'stopped'>,
): Promise<void> {
  const { in: input, out: directory, force, release, payloadVersion, timeout } = options
  const print = (line: string): void => terminal.error(`machinist: ${escapeControls(line)}\n`)
  await checkOutputDirectory({ directory, force }, input)
  const { files, problems } = await readManifestFiles(input)
  if (problems.length > 0) throw rejected(problems, print)
  const templates = await loadTemplates(options.templates)
  const given = { files, templates, version, payloadVersion, release }
  const result = await bootstrap(
    { ...given, timeoutMs: timeout * 1000, progress: print },
    stopSignal(terminal),
  )
  for (const warning of result.warnings) print(`warning: ${problemText(warning)}`)
  if (result.type === 'failed') throw rejected(result.problems, print)
  await writeOutputDirectory(result.files, { directory, force })
  print(`wrote ${result.files.size} files to ${directory}`)
  for (const [pool, config] of result.pools) terminal.out(`${pool} ${config}\n`)
}

/** One line for each problem, then the summary. */
function rejected(
  problems: readonly BootstrapProblem[],
  print: (line: string) => void,
): InvalidInput {
  for (const problem of problems) print(problemText(problem))
  const number = problems.length === 1 ? '1 problem' : `${problems.length} problems`
  return new InvalidInput(`${number} in the manifests; nothing was written`)
}

function stopSignal(terminal: Pick<Terminal, 'stopped'>): AbortSignal {
  const stop = new AbortController()
  const abort = async (): Promise<void> => {
    await terminal.stopped()
    stop.abort(new InvalidInput('stopped; nothing was written'))
  }
  void abort()
  return stop.signal
}
