import { afterAll, afterEach, beforeAll } from 'vitest'
import type { DaemonOptions } from '../../../../src/daemon/daemon.ts'
import type { Api } from './api.ts'
import { startApi } from './api.ts'
import { Machine } from './machine.ts'

export interface Scene {
  readonly api: Api
  readonly machine: (name: string, options?: Partial<DaemonOptions>) => Machine
}

/** One API server for the tests of a file, and machines whose daemons are stopped after each test. */
export function scene(): Scene {
  let api: Api | undefined
  const machines: Machine[] = []
  beforeAll(async () => {
    api = await startApi()
  })
  afterEach(async () => {
    for (const machine of machines.splice(0)) await machine.stop()
  })
  afterAll(() => api?.stop())
  return {
    get api() {
      return api!
    },
    machine(name, options) {
      const made = new Machine(api!.client, name, options)
      machines.push(made)
      return made
    },
  }
}
