import { sleep } from '@machinist/core/clock'
import { messageOf } from '@machinist/core/errors'
import { jitter } from '@machinist/core/random'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import { nodePaths } from '../../api/node-paths.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { runningArguments } from '../../planner/differences/kernel-arguments.ts'
import { plan } from '../../planner/plan.ts'
import { JournaledUpdates } from '../apply/run/journaled-updates.ts'
import type { UpdateOutcome, UpdateRun, Update, Updates } from '../apply/update.ts'
import { machineFacts } from '../follow/machine-source.ts'
import { emptyConfig } from '../follow/facts/situation.ts'
import { bootedFacts } from '../follow/decide/plan-update.ts'
import type { Host } from '../host/host.ts'
import { imageName } from '../host/image-name.ts'
import { parseMachineConfigFile } from '../state/disk-state.ts'
import { encapsulatedBackup } from '../state/state-changes.ts'

export interface FirstBootOptions extends Pick<ControllerContext, 'clock' | 'random' | 'log'> {
  readonly host: Host
  readonly updates?: Updates
}

/** `rebooting`: call it again after the reboot, before the machine joins. `stopped` is on request. */
export type FirstBootResult = 'nothing to do' | 'done' | 'rebooting' | 'stopped'

const retryIntervalMs = 60_000

/**
 * Completes the first boot of a machine: Ignition has written the files, and left a config with the desired OS image, kernel,
 * kernel arguments and extensions. The machine has not joined a cluster yet. Retries until it succeeds. The file with the config
 * exists until the first boot is complete.
 */
export async function completeFirstBoot(
  options: FirstBootOptions,
  signal: AbortSignal,
): Promise<FirstBootResult> {
  const { host, clock, random, log } = options
  const updates = options.updates ?? new JournaledUpdates({ host, clock, log })
  while (!signal.aborted) {
    try {
      return await attempt(options, updates, signal)
    } catch (error) {
      log.error('first boot attempt failed', error)
      // Jitter: machines that start together must not load the registry at the same time.
      await sleep(clock, jitter(random, retryIntervalMs, 0.2), signal)
    }
  }
  return 'stopped'
}

async function attempt(
  options: FirstBootOptions,
  updates: Updates,
  signal: AbortSignal,
): Promise<FirstBootResult> {
  const { host, log } = options
  const run: UpdateRun = { progress: (phase) => log.info('first boot', { phase }), signal }
  if (await updates.interrupted()) return finishFirstBoot(options, await updates.resume(run))
  if ((await host.files.stat(nodePaths.encapsulated)) === undefined) return 'nothing to do'
  const content = await host.files.read(nodePaths.encapsulated, maxConfigBytes)
  const config = parseEncapsulated(Buffer.from(content).toString())
  const update = await planFirstBoot(host, config)
  const { plan: made } = update
  if (!made.reconcilable) {
    throw new Error(`config ${made.to} cannot be applied: ${made.reasons.join('; ')}`)
  }
  if (made.changes.length === 0) {
    await host.files.remove(nodePaths.encapsulated)
    log.info('machine matches its config', { config: made.to })
    return 'nothing to do'
  }
  return finishFirstBoot(options, await updates.run(update, run))
}

const maxConfigBytes = 64 * 1024 * 1024

async function finishFirstBoot(
  { host, log }: FirstBootOptions,
  outcome: UpdateOutcome,
): Promise<FirstBootResult> {
  switch (outcome.type) {
    case 'applied':
      await setConfigAside(host)
      return 'done'
    // The config stays: the machine must not join before the reboot has the desired result.
    case 'rebooting':
      return 'rebooting'
    case 'parked':
      return 'stopped'
    // A retry would reboot again and again. The machine joins, and its daemon reports the differences.
    case 'unverified': {
      await setConfigAside(host)
      const found = outcome.differences.map(({ at, what }) => `${at} ${what}`)
      log.error('the machine differs from its config', new Error(found.join('; ')))
      return 'done'
    }
    case 'rolledBack':
      throw outcome.error
    case 'stuck':
      throw new Error(
        `${messageOf(outcome.error)}; rollback failed: ${messageOf(outcome.rollbackError)}`,
      )
  }
}

/** The file at its original path marks a first boot that is not complete. */
async function setConfigAside({ files }: Host): Promise<void> {
  if ((await files.stat(nodePaths.encapsulated)) === undefined) return
  await files.move(nodePaths.encapsulated, encapsulatedBackup)
}

function parseEncapsulated(text: string): MachineConfig {
  try {
    return parseMachineConfigFile(text)
  } catch (error) {
    throw new Error(`${nodePaths.encapsulated} cannot be used: ${messageOf(error)}`, {
      cause: error,
    })
  }
}

/** Plans the update from the OS of the installer image to the OS of the config. */
async function planFirstBoot(host: Host, desired: MachineConfig): Promise<Update> {
  const { booted, ...machine } = await machineFacts(host, '4.16')
  const desiredArguments = desired.spec?.kernelArguments ?? []
  const installed: MachineConfig = {
    ...emptyConfig,
    spec: {
      osImageURL: installedImage(booted.image, desired.spec?.osImageURL),
      kernelArguments: runningArguments(booted.kernelArguments, desiredArguments),
      kernelType: booted.kernelType,
      extensions: [...booted.extensions],
      fips: machine.fips ?? false,
    },
  }
  return {
    plan: plan({
      current: installed,
      desired,
      // The policy of the cluster is not known yet.
      rules: '4.16',
      facts: {
        ...machine,
        ...bootedFacts(booted),
        forced: false,
        drains: false,
      },
      // Only a joined machine can report a limit, so the limit does not block the first boot.
      osLimits: 'note',
    }),
    current: installed,
    desired,
  }
}

/** A config without an image keeps the installed one, and names of the same image may differ in their prefix. */
function installedImage(installed = '', desired = ''): string {
  return desired === '' || imageName(desired) === imageName(installed) ? desired : installed
}
