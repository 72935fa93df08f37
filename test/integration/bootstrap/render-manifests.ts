import type { BootstrapOptions, BootstrapResult } from '../../../src/bootstrap/bootstrap.ts'
import { bootstrap } from '../../../src/bootstrap/bootstrap.ts'
import { problemText } from '../../../src/bootstrap/manifests/manifest.ts'
import { loadTemplates } from '../../../src/process/templates.ts'
import { version } from '../../../src/process/version.ts'

/** Runs the bootstrap on manifests in memory. */
export async function renderManifests(
  files: Readonly<Record<string, string>>,
  options: Partial<BootstrapOptions> = {},
): Promise<BootstrapResult> {
  return bootstrap(
    {
      files: new Map(Object.entries(files)),
      templates: await loadTemplates(),
      version,
      release: 'main',
      timeoutMs: 120_000,
      progress: () => {},
      ...options,
    },
    new AbortController().signal,
  )
}

/** The output of a bootstrap that must succeed. */
export async function renderedManifests(
  files: Readonly<Record<string, string>>,
  options: Partial<BootstrapOptions> = {},
): Promise<Extract<BootstrapResult, { type: 'rendered' }>> {
  const result = await renderManifests(files, options)
  if (result.type === 'failed') throw new Error(result.problems.map(problemText).join('\n'))
  return result
}

/** The problems of a bootstrap that must fail. */
export async function problemsOf(
  files: Readonly<Record<string, string>>,
  options: Partial<BootstrapOptions> = {},
): Promise<string[]> {
  const result = await renderManifests(files, options)
  if (result.type === 'rendered') throw new Error('it was rendered')
  return result.problems.map(problemText)
}
