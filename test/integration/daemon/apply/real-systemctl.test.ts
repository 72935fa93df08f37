import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import type { Unit } from '@machinist/ignition/spec/config'
import { nodePaths } from '../../../../src/api/node-paths.ts'
import { openSandbox } from '../../../../src/daemon/host/sandbox/sandbox.ts'
import type { Parts } from '../../../../src/planner/configs.fixture.ts'
import { quickDisk, treeOf } from '../../../../src/daemon/apply/machine.fixture.ts'
import { apply } from '../../../../src/daemon/apply/update-between.fixture.ts'

const contents = '[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=default.target\n'

/** The states that configs can set for a unit of the OS. */
const states: Readonly<Record<string, readonly Unit[]>> = {
  nothing: [],
  disabled: [{ name: 'crio.service', enabled: false }],
  masked: [{ name: 'crio.service', mask: true }],
  written: [{ name: 'crio.service', contents, enabled: true }],
}

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'machinist-systemctl-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

describe.skipIf(!existsSync('/usr/bin/systemctl'))('a unit with the real systemctl', () => {
  it.each(['masked', 'written'])(
    'that is %s can be restored after any other state',
    async (name) => {
      const machine = await openSandbox({ root, clock: systemClock, disk: quickDisk })
      await machine.units.preset(['crio.service', 'sshd.service'])
      const first: Parts = { units: states[name]! }
      const tree = async (): Promise<string[]> =>
        (await treeOf(machine.files)).filter((line) => line.startsWith(nodePaths.units))
      expect(await apply(machine, {}, first)).toEqual({ type: 'applied' })
      const before = await tree()
      for (const units of Object.values(states)) {
        expect(await apply(machine, first, { units })).toEqual({ type: 'applied' })
        expect(await apply(machine, { units }, first)).toEqual({ type: 'applied' })
        expect(await tree()).toEqual(before)
      }
    },
  )
})
