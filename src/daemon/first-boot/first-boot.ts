import { nodePaths } from '../../api/node-paths.ts'
import type { MachineConfig } from '../../api/resources.ts'
import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import { messageOf } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import type { Random } from '@machinist/core/random'
import { jitter } from '@machinist/core/random'
import { runningArguments } from '../../planner/kernel-arguments.ts'
import { plan } from '../../planner/plan.ts'
import { JournaledUpdates } from '../apply/journaled-updates.ts'
import type { Outcome, Run, Update, Updates } from '../apply/update.ts'
import { machineFacts } from '../follow/gather.ts'
import { emptyConfig } from '../follow/situation.ts'
import { bootedFacts } from '../follow/update-to.ts'
import type { Host } from '../host/host.ts'
import { machineConfigIn } from '../state/disk-state.ts'
import { encapsulatedDone } from '../state/state-changes.ts'

export interface FirstBootOptions {
  readonly host: Host
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly updates?: Updates
}

/** What came of it: nothing was left to do, it is done without a reboot, the machine goes down, or it was stopped. */
export type FirstBootEnd = 'nothing to do' | 'done' | 'rebooting' | 'stopped'

const tryAgainMs = 60_000

/**
 * Completes the first boot of a machine: Ignition has written its files, and left a config that says what else the machine
 * shall be: OS image, kernel, kernel arguments, extensions. There is no cluster to ask yet. Tries until it works.
 */
export async function completeFirstBoot(
  options: FirstBootOptions,
  signal: AbortSignal,
): Promise<FirstBootEnd> {
  const { host, clock, random, log } = options
  const updates = options.updates ?? new JournaledUpdates({ host, clock, log })
  while (!signal.aborted) {
    try {
      return await attempt(options, updates, signal)
    } catch (error) {
      log.error('first boot is not complete yet', error)
      // Machines that were switched on together must not ask a registry in step.
      await sleep(clock, jitter(random, tryAgainMs, 0.2), signal)
    }
  }
  return 'stopped'
}

async function attempt(
  { host, log }: FirstBootOptions,
  updates: Updates,
  signal: AbortSignal,
): Promise<FirstBootEnd> {
  const run: Run = { progress: (phase) => log.info('first boot', { phase }), signal }
  if (await updates.interrupted()) return finished(host, await updates.resume(run))
  if ((await host.files.look(nodePaths.encapsulated)) === undefined) return 'nothing to do'
  const content = await host.files.read(nodePaths.encapsulated, mostBytes)
  const config = encapsulated(Buffer.from(content).toString())
  const update = await updateFor(host, config)
  const { plan: made } = update
  if (!made.reconcilable) {
    throw new Error(`${made.to} cannot be applied: ${made.reasons.join('; ')}`)
  }
  if (made.changes.length === 0) {
    await host.files.remove(nodePaths.encapsulated)
    log.info('the machine is as its config says', { config: made.to })
    return 'nothing to do'
  }
  return finished(host, await updates.run(update, run))
}

const mostBytes = 64 * 1024 * 1024

async function finished(host: Host, outcome: Outcome): Promise<FirstBootEnd> {
  switch (outcome.is) {
    case 'applied':
      await putAside(host)
      return 'done'
    case 'rebooting':
      await putAside(host)
      return 'rebooting'
    case 'parked':
      return 'stopped'
    case 'unverified': {
      await putAside(host)
      const found = outcome.differences.map(({ at, what }) => `${at} ${what}`)
      throw new Error(`the machine is not as it should be: ${found.join('; ')}`)
    }
    case 'rolledBack':
      throw outcome.error
    case 'stuck':
      throw new Error(
        `${messageOf(outcome.error)}; undoing it: ${messageOf(outcome.rollbackError)}`,
      )
  }
}

/** Whoever finds it in its place has a first boot to complete. */
async function putAside({ files }: Host): Promise<void> {
  if ((await files.look(nodePaths.encapsulated)) === undefined) return
  await files.move(nodePaths.encapsulated, encapsulatedDone)
}

function encapsulated(text: string): MachineConfig {
  try {
    return machineConfigIn(text)
  } catch (error) {
    throw new Error(`${nodePaths.encapsulated} cannot be used: ${messageOf(error)}`, {
      cause: error,
    })
  }
}

/** From what the installer's image brought to what the config wants of the OS. */
async function updateFor(host: Host, desired: MachineConfig): Promise<Update> {
  const { booted, ...machine } = await machineFacts(host, '4.16')
  const wanted = desired.spec?.kernelArguments ?? []
  const installed: MachineConfig = {
    ...emptyConfig,
    spec: {
      osImageURL: booted.image ?? '',
      kernelArguments: runningArguments(booted.kernelArguments, wanted),
      kernelType: booted.kernelType,
      extensions: [...booted.extensions],
      fips: machine.fips ?? false,
    },
  }
  return {
    plan: plan({
      current: installed,
      desired,
      // No cluster can be asked for its policy.
      rules: '4.16',
      facts: {
        ...machine,
        ...bootedFacts(booted),
        forced: false,
        drains: false,
      },
      // A machine that does not join could not report it; its daemon does.
      osLimits: 'note',
    }),
    current: installed,
    desired,
  }
}
