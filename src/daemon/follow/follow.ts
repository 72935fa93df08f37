import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import { stepController } from '@machinist/kube/controller/step-controller'
import { Trigger } from '@machinist/kube/controller/trigger'
import { JournaledUpdates } from '../apply/run/journaled-updates.ts'
import type { Updates } from '../apply/update.ts'
import type { DriftPolicy } from '../drift/drift-policy.ts'
import { DriftWatch } from '../drift/drift-watch.ts'
import { DriftExceptions } from '../drift/exceptions.ts'
import type { Host } from '../host/host.ts'
import type { OwnNode } from '../node/own-node.ts'
import type { NodeReporter } from '../report/reporter.ts'
import type { CertificateFiles } from '../trust/view/certificate-files.ts'
import type { TrustView } from '../trust/view/trust-view.ts'
import { followInputs } from './inputs.ts'
import type { FollowSources } from './gather.ts'
import { gather } from './gather.ts'
import { decide } from './decide/decide.ts'
import type { FollowResult } from './act.ts'
import { act } from './act.ts'
import { announce, report } from './report.ts'
import { next } from './next.ts'
import { recover } from './recover.ts'
import { MachineConfigs } from './machine-configs.ts'
import { MachineSource } from './machine-source.ts'
import { FollowMemory } from './memory.ts'
import { PolicySource } from './policy-source.ts'
import type { RuleSource } from './rule-source.ts'

/** The parts of the daemon that the config lane shares with others. */
export interface FollowParts {
  readonly node: OwnNode
  readonly host: Host
  readonly trust: TrustView
  /** The certificate files that MachineConfigs share with the trust lane. */
  readonly certificates: CertificateFiles
  readonly reporter: NodeReporter
  /** Aborts when the daemon stops: an update in progress is parked. */
  readonly stop: AbortSignal
  /** Called when the machine reboots: the daemon has nothing left to do. */
  readonly rebooting: () => void
}

export interface FollowSettings {
  /** The rules for drains, restarts and reboots; the cluster's policy by default. */
  readonly rules?: RuleSource
  /** How the daemon reacts to drift; it reports it by default. */
  readonly drift?: DriftPolicy
  /** Paths, directories and patterns in which drift is ignored. */
  readonly ignoredDrift?: readonly string[]
  /** How updates are applied; with a journal on the machine's disk by default. */
  readonly updates?: Updates
  /** Why the last boot did not start the staged OS. */
  readonly finalizationFailure?: string
}

/** The config lane: brings the machine to the desired config of its Node. The only key is the name of the Node. */
export function followController(
  context: ControllerContext,
  parts: FollowParts,
  settings: FollowSettings = {},
): Controller {
  const { client, clock, random, log } = context
  const { node, host, certificates } = parts
  const { rules = 'policy', drift = 'report', finalizationFailure } = settings
  const exceptions = new DriftExceptions(settings.ignoredDrift ?? [], certificates)
  const {
    updates = new JournaledUpdates({ host, clock, log, except: exceptions, shared: certificates }),
  } = settings
  const memory = new FollowMemory(clock, random)
  const sources: FollowSources = {
    ...parts,
    updates,
    configs: new MachineConfigs(client),
    policies: new PolicySource(rules, client, clock),
    memory,
    machine: new MachineSource(host, rules),
    drift,
    ...(finalizationFailure !== undefined && { finalizationFailure }),
  }
  const disk = new Trigger('files of the node')
  const driftWatch = new DriftWatch({
    files: host.files,
    clock,
    random,
    exceptions,
    changed: () => {
      memory.invalidateChecked()
      disk.trigger(node.name)
    },
    forced: () => disk.trigger(node.name),
  })
  const tools = { ...sources, ...parts, exceptions, driftWatch, shared: certificates }
  return stepController(context, {
    name: 'node-daemon',
    inputs: followInputs({ ...parts, disk, driftWatch, memory }),
    outputs: ['Node', 'MachineConfigNode', 'Event'],
    gather: (_name, _step, previous?: FollowResult) => gather(sources, previous === undefined),
    decide,
    announce: (decision, facts, { log }) => announce(decision, facts, { ...tools, log }),
    act: (decision, facts, { log }) => act(decision, facts, { ...tools, log }),
    report: (pass, { log }) => report(pass, { ...tools, log }),
    next: (pass) => next(pass, memory),
    recover: (failure, { log }) => recover(failure, { ...tools, log }),
  })
}
