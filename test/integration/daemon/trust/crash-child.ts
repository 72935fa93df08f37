import { machineAt, quickDisk } from '../../../../src/daemon/apply/machine.fixture.ts'
import type { Death } from '../../../../src/daemon/host/faults.fixture.ts'
import { faultyDisk, Faults } from '../../../../src/daemon/host/faults.fixture.ts'
import { deliver } from './crash-scene.ts'
import type { Given } from './trial.ts'
import { Trial } from './trial.ts'

/** The argument of a child process, as JSON. */
export interface Errand {
  readonly root: string
  readonly given: Given
  /** Where it is killed. */
  readonly death: Death
}

/** A daemon that is killed during a delivery. */
const { root, given, death } = JSON.parse(process.argv[2]!) as Errand
const { files } = machineAt(root, faultyDisk(quickDisk, new Faults(death)))
await deliver(await Trial.open({ files }), given)
