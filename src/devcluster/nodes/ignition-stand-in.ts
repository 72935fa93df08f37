import type { Clock } from '@machinist/core/clock'
import { messageOf } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import { nodeAnnotations, nodeStates } from '../../api/annotations.ts'
import { nodePaths } from '../../api/node-paths.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { JournaledUpdates } from '../../daemon/apply/run/journaled-updates.ts'
import type { UpdateOutcome, UpdateRun } from '../../daemon/apply/update.ts'
import { machineFacts } from '../../daemon/follow/machine-source.ts'
import { emptyConfig } from '../../daemon/follow/facts/situation.ts'
import { bootedFacts } from '../../daemon/follow/decide/plan-update.ts'
import type { SimulatedMachine } from '../../daemon/host/simulated/simulated-machine.ts'
import { readDiskState } from '../../daemon/state/disk-state.ts'
import { plan } from '../../planner/plan.ts'

export interface InstallOptions {
  readonly machine: SimulatedMachine
  readonly clock: Clock
  readonly log: Logger
}

/**
 * Installs a machine like a first boot: applies its config and records the served config. It can be interrupted at any point and
 * called again.
 */
export async function installMachine(
  { machine, clock, log }: InstallOptions,
  config: () => Promise<MachineConfig>,
  signal: AbortSignal,
): Promise<void> {
  const updates = new JournaledUpdates({ host: machine, clock, log })
  const run: UpdateRun = { progress: () => {}, signal }
  if (await updates.interrupted()) await finish(machine, updates, await updates.resume(run), run)
  const onDisk = (await readDiskState(machine.files)).config
  const served = onDisk ?? (await config())
  if (signal.aborted) return
  if (!onDisk) {
    const { booted, ...facts } = await machineFacts(machine, '4.16')
    const updatePlan = plan({
      current: undefined,
      desired: served,
      rules: '4.16',
      facts: { ...facts, ...bootedFacts(booted), forced: false, drains: false },
    })
    if (!updatePlan.reconcilable)
      throw new Error(`${updatePlan.to} cannot be applied: ${updatePlan.reasons[0]}`)
    const update = { plan: updatePlan, current: emptyConfig, desired: served }
    await finish(machine, updates, await updates.run(update, run), run)
  }
  await machine.files.write(nodePaths.nodeAnnotations, {
    content: Buffer.from(JSON.stringify(firstBootAnnotations(served.metadata.name))),
    mode: 0o644,
    uid: 0,
    gid: 0,
  })
}

async function finish(
  machine: SimulatedMachine,
  updates: JournaledUpdates,
  outcome: UpdateOutcome,
  run: UpdateRun,
): Promise<void> {
  switch (outcome.type) {
    case 'applied':
    case 'parked':
      return
    case 'rebooting':
      await machine.boot()
      return finish(machine, updates, await updates.resume(run), run)
    case 'unverified':
      throw new Error(
        `the machine is not as it should be: ${outcome.differences.map(({ at }) => at).join(', ')}`,
      )
    case 'rolledBack':
    case 'stuck':
      throw new Error(`first boot failed: ${messageOf(outcome.error)}`, { cause: outcome.error })
  }
}

const firstBootAnnotations = (config: string): Readonly<Record<string, string>> => ({
  [nodeAnnotations.currentConfig]: config,
  [nodeAnnotations.desiredConfig]: config,
  [nodeAnnotations.state]: nodeStates.done,
  [nodeAnnotations.firstPivotConfig]: config,
})
