import { afterAll, beforeAll } from 'vitest'
import type { Stage } from './stage.ts'

/** Runs all cases on one server, in order. */
export function onStage(
  start: () => Promise<Stage>,
  ...parts: readonly ((stage: () => Stage) => void)[]
): void {
  let started: Stage | undefined
  beforeAll(async () => {
    started = await start()
  })
  afterAll(() => started?.stop())
  for (const part of parts) part(() => started!)
}
