import type { TestProject } from 'vitest/node'
import { startEmbedded } from '@machinist/testing/start-embedded'
import { startReal } from './start-real.ts'
import type { Absent, Started, Target } from '@machinist/testing/target'
import { isAbsent } from '@machinist/testing/target'

declare module 'vitest' {
  interface ProvidedContext {
    conformanceTargets: (Target | Absent)[]
  }
}

/** Starts every API server that the suite runs against; the environment's CONFORMANCE names one to take only that. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const only = process.env['CONFORMANCE']
  const starts = { real: startReal, embedded: startEmbedded }
  const wanted = Object.entries(starts).filter(([name]) => only === undefined || only === name)
  if (wanted.length === 0) throw new Error(`CONFORMANCE=${only}: say real or embedded, or nothing`)
  const outcomes = await Promise.allSettled(wanted.map(([, start]) => start()))
  const started = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const stop = async (): Promise<void> => {
    const running = started.filter((one): one is Started => !isAbsent(one))
    await Promise.all(running.map((one) => one.stop()))
  }
  const failed = outcomes.find((one) => one.status === 'rejected')
  if (failed) {
    await stop()
    throw failed.reason
  }
  for (const { name, absent } of started.filter(isAbsent)) {
    process.stderr.write(`skipping the ${name} server: ${absent}\n`)
  }
  project.provide(
    'conformanceTargets',
    started.map((one) => ('target' in one ? one.target : one)),
  )
  return stop
}
