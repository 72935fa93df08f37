import type { TestProject } from 'vitest/node'
import { startEmbedded } from '@machinist/testing/clusters/start-embedded'
import type {
  AbsentTarget,
  StartedTarget,
  ConformanceTarget,
} from '@machinist/testing/clusters/target'
import { isAbsent } from '@machinist/testing/clusters/target'
import { startReal } from './support/start-real.ts'

declare module 'vitest' {
  interface ProvidedContext {
    conformanceTargets: (ConformanceTarget | AbsentTarget)[]
  }
}

/** Starts the API servers of the suite; the environment variable CONFORMANCE selects one of them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const only = process.env['CONFORMANCE']
  const starts = { real: startReal, embedded: startEmbedded }
  const expected = Object.entries(starts).filter(([name]) => only === undefined || only === name)
  if (expected.length === 0)
    throw new Error(`CONFORMANCE=${only}: say real or embedded, or nothing`)
  const outcomes = await Promise.allSettled(expected.map(([, start]) => start()))
  const started = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const stop = async (): Promise<void> => {
    const running = started.filter((one): one is StartedTarget => !isAbsent(one))
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
