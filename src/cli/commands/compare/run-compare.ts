import { access, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { systemClock } from '@machinist/core/clock'
import { InvalidInput } from '@machinist/core/errors'
import type { CertificateDelivery } from '../../../api/trust/items.ts'
import { styleFor } from '../../text/style.ts'
import type { Terminal } from '../../../process/terminal.ts'
import { createDataDirectory } from '../../../devcluster/data-directory.ts'
import { seconds } from '../../../views/compare/counts.ts'
import { problemsOf } from '../../../views/compare/expectations.ts'
import type { ComparedPool, Comparison, ComparedRotation } from '../../../views/compare/facts.ts'
import { measureRotation, phaseCount } from '../../../devcluster/compare/measure.ts'
import type { CompareOptions } from './compare.ts'
import { drawComparison } from './draw.ts'

/** Rotates the same signer with each delivery, one after the other, and prints the comparison. */
export async function runCompare(
  options: CompareOptions,
  pools: readonly ComparedPool[],
  terminal: Terminal,
): Promise<void> {
  const ended = new AbortController()
  void terminal.stopped().then(() => ended.abort())
  const comparison = await withDirectory(options.data, (directory) =>
    compare(options.speed, pools, directory, terminal, ended.signal),
  )
  terminal.out(printed(comparison, options, terminal))
  const problems = problemsOf(comparison)
  if (problems.length > 0) {
    throw new InvalidInput(`the rotations did not behave as expected: ${problems.join('; ')}`)
  }
}

async function compare(
  speed: number,
  pools: readonly ComparedPool[],
  directory: string,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<Comparison> {
  let started = 0
  const since = systemClock.elapsed()
  const measured = (delivery: CertificateDelivery): Promise<ComparedRotation> => {
    const phase = (what: string): void => {
      const passed = seconds((systemClock.elapsed() - since) / 1000).padStart(6)
      const count = `${++started}`.padStart(2)
      terminal.error(`${passed}  ${count}/${2 * phaseCount} ${delivery}: ${what}\n`)
    }
    const data = join(directory, delivery)
    return measureRotation({ delivery, data, pools, speed, clock: systemClock, phase }, signal)
  }
  return { pools, speed, rendered: await measured('rendered'), direct: await measured('direct') }
}

/** Works in the directory of `--data`, or in a temporary one that is removed afterwards. */
async function withDirectory<T>(
  named: string | undefined,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  if (named !== undefined) {
    const directory = resolve(named)
    await createDataDirectory(directory)
    await rejectUsed(directory)
    return work(directory)
  }
  const directory = await mkdtemp(join(tmpdir(), 'machinist-compare-'))
  try {
    return await work(directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** A second comparison would start from the state of the first one: lagging nodes and a paused pool. */
async function rejectUsed(directory: string): Promise<void> {
  for (const delivery of ['rendered', 'direct']) {
    const exists = await access(join(directory, delivery)).then(
      () => true,
      () => false,
    )
    if (exists) {
      throw new InvalidInput(
        `--data ${directory} contains an earlier comparison: use another directory or remove this one`,
      )
    }
  }
}

function printed(comparison: Comparison, { output }: CompareOptions, terminal: Terminal): string {
  if (output === 'json') {
    return `${JSON.stringify({ ...comparison, problems: problemsOf(comparison) }, null, 2)}\n`
  }
  const window = terminal.window?.()
  const style = styleFor({ isTTY: window !== undefined }, process.env)
  return drawComparison(comparison, { style, width: Math.min(window?.columns || 80, 120) })
}
