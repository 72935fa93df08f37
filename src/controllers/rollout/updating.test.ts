import { describe, expect, it } from 'vitest'
import type { PoolSketch } from '../../fleet/pools/pool.fixture.ts'
import type { NodeSketch } from '../../fleet/rollout/scene.fixture.ts'
import { at, facts } from '../../fleet/rollout/scene.fixture.ts'
import type { MachineOSBuild, MachineOSConfig } from '../../api/kinds/resources.ts'
import type { RolloutFacts } from '../../fleet/rollout/facts.ts'
import { imageState } from '../../fleet/rollout/layering.ts'
import { decide } from './decide.ts'
import { updatingReport } from './updating.ts'

function updating(
  pool: PoolSketch,
  nodes: readonly NodeSketch[],
  more?: Partial<RolloutFacts>,
): string {
  const { status, reason, message } = updatingReport(decide(facts(pool, nodes, more)))
  return `${status} ${reason}: ${message}`
}

const unschedulable = {
  key: 'node.kubernetes.io/unschedulable',
  effect: 'NoSchedule',
  timeAdded: '2026-02-28T08:00:00Z',
} as const
const cordoned = { cordoned: true, taints: [unschedulable] }
const draining = {
  state: 'Working',
  cordoned: true,
  annotations: { 'machineconfiguration.openshift.io/desiredDrain': 'drain-V1' },
}
const line = '0 of 2 nodes are updated to MachineConfig V1'

describe('a stuck pool reports why', () => {
  it('a user cordoned a node', () => {
    expect(updating({}, [at('V0', 'V0', cordoned), at('V0')])).toBe(
      `True Blocked: ${line}. Blocked: node node-0 cordoned by a user since 2026-02-28T08:00:00Z`,
    )
  })

  it('a node is not ready', () => {
    const away = at('V0', 'V0', { ready: false, readySince: '2026-02-27T00:00:00Z' })
    expect(updating({}, [away, at('V0')])).toBe(
      `True Blocked: ${line}. Blocked: node node-0 NotReady since 2026-02-27T00:00:00Z`,
    )
  })

  it('a node stays NotReady after its update', () => {
    const away = at('V0', 'V1', {
      state: 'Working',
      ready: false,
      cordoned: true,
      readySince: '2026-02-27T00:00:00Z',
    })
    expect(updating({}, [away, at('V0')])).toBe(
      `True Blocked: ${line}. Blocked: node node-0 NotReady since 2026-02-27T00:00:00Z, during its update`,
    )
  })

  it('a drain is blocked', () => {
    const blockedDrains = new Map([
      ['node-0', 'pod shop/web-1 is kept by PodDisruptionBudget shop/web'],
    ])
    expect(updating({}, [at('V0', 'V1', draining), at('V0')], { blockedDrains })).toBe(
      `True Blocked: ${line}. Blocked: node node-0 drain blocked: pod shop/web-1 is kept by PodDisruptionBudget shop/web`,
    )
  })

  it('nodes failed and the rollout stopped', () => {
    const failed = at('V0', 'V1', { state: 'Degraded', reason: 'unknown unit x.service' })
    expect(updating({}, [failed, at('V0')])).toBe(
      `True StoppedByFailures: ${line}. Stopped after 1 failed: no further node is updated to V1 until the config changes or the nodes recover. Failed: node node-0 cannot apply V1: unknown unit x.service`,
    )
  })

  it('maxUnavailable is invalid', () => {
    expect(updating({ maxUnavailable: 'all' }, [at('V0'), at('V0')])).toBe(
      `True Blocked: ${line}. Blocked: spec.maxUnavailable is "all": no node is updated until it is a number of at least 0, or a percentage from "0%" to "100%"`,
    )
  })

  it('another pool goes first', () => {
    const waitReason = "the control plane's m-0 goes first"
    expect(updating({ name: 'arbiter' }, [at('V0'), at('V0')], { waitReason })).toBe(
      `True Blocked: ${line}. Blocked: the control plane's m-0 goes first`,
    )
  })

  it('with the names of three nodes and the number of the others', () => {
    const nodes = Array.from({ length: 5 }, () => at('V0', 'V0', { cordoned: true }))
    expect(updating({}, nodes)).toMatch(
      /node node-0 cordoned by a user; node node-1 cordoned by a user; node node-2 cordoned by a user and 2 more$/,
    )
  })

  it('with long reasons shortened', () => {
    const failed = at('V0', 'V1', { state: 'Degraded', reason: 'x\n'.repeat(1000) })
    expect(updating({}, [failed]).length).toBeLessThan(600)
  })
})

describe('a node whose files were changed', () => {
  const reason =
    'unexpected on-disk state validating against V1: /etc/motd (MachineConfig 50-motd) is not there. Restore it'
  const drifted = at('V1', 'V1', { state: 'Degraded', reason })
  const driftedSince = new Map([['node-0', '2026-03-01T09:00:00Z']])
  const drift =
    'node node-0 has drifted from V1 since 2026-03-01T09:00:00Z: /etc/motd (MachineConfig 50-motd) is not there. Restore it'

  it('has drifted, and has not failed an update', () => {
    expect(updating({}, [drifted, at('V1')], { driftedSince })).toBe(
      `True Drifted: 1 of 2 nodes are updated to MachineConfig V1. Drifted: ${drift}`,
    )
  })

  it('counts against the budget of the next rollout, and is named there', () => {
    const before = at('V1', 'V2', { state: 'Degraded', reason })
    const nodes = [before, at('V1'), at('V1')]
    const turns = { 'node-0': { config: 'V2', from: '0', at: 0 } }
    const annotations = { 'machinist.dev/rollout': JSON.stringify({ turns, took: [] }) }
    const pool = { target: 'V2', annotations }
    expect(updating(pool, nodes, { driftedSince })).toBe(
      `True Blocked: 0 of 3 nodes are updated to MachineConfig V2. Blocked: ${drift}`,
    )
    expect(updating({ ...pool, maxUnavailable: 2 }, nodes, { driftedSince })).toBe(
      `True Progressing: 0 of 3 nodes are updated to MachineConfig V2. Blocked nodes: ${drift}`,
    )
  })

  it('has failed the update if its disk differs during its turn', () => {
    const turns = { 'node-0': { config: 'V1', from: '0', at: 0 } }
    const annotations = { 'machinist.dev/rollout': JSON.stringify({ turns, took: [] }) }
    const failed = at('V0', 'V1', { state: 'Degraded', reason })
    expect(updating({ annotations }, [failed, at('V0')])).toMatch(/^True StoppedByFailures: /)
  })
})

describe('a pool whose rollout proceeds reports the progress', () => {
  it('while a node is busy', () => {
    expect(updating({}, [at('V0', 'V1', draining), at('V0')])).toBe(`True Progressing: ${line}`)
  })

  it('and blocked nodes while others proceed', () => {
    const nodes = [at('V0', 'V0', { cordoned: true }), at('V0')]
    const annotations = { 'machinist.dev/allow-whole-pool-unavailable': 'true' }
    expect(updating({ maxUnavailable: 2, annotations }, nodes)).toBe(
      `True Progressing: ${line}. Blocked nodes: node node-0 cordoned by a user`,
    )
  })

  it('and that maxUnavailable is capped', () => {
    expect(updating({ maxUnavailable: '100%' }, [at('V0'), at('V0')])).toBe(
      `True Progressing: ${line}. spec.maxUnavailable "100%" is the whole pool: at most 1 of 2 nodes are updated at a time. To allow all at once, set the annotation machinist.dev/allow-whole-pool-unavailable to "true"`,
    )
  })

  it('and that at most 1000 nodes have a turn', () => {
    const nodes = Array.from({ length: 1500 }, (_, i) =>
      i < 1000 ? at('V0', 'V1', { state: 'Working' }) : at('V0'),
    )
    const turn = { config: 'V1', from: '0', at: 0 }
    const turns = Object.fromEntries(nodes.slice(0, 1000).map((_, i) => [`node-${i}`, turn]))
    const annotations = { 'machinist.dev/rollout': JSON.stringify({ turns, took: [] }) }
    expect(updating({ maxUnavailable: 1200, annotations }, nodes)).toBe(
      'True Progressing: 0 of 1500 nodes are updated to MachineConfig V1. At most 1000 nodes are updated at a time, regardless of spec.maxUnavailable',
    )
  })

  it.each([
    // The previous rollout ended an hour ago: the first turn of this one counts.
    ['09:00', '09:58', '2026-03-01T10:10Z'],
    ['09:59', '09:58', '2026-03-01T10:11Z'],
    // The turn takes far longer than those before.
    ['09:00', '09:30', undefined],
  ])('with the last turn ended at %s and one given at %s ends at %s', (ended, given, end) => {
    const time = (text: string): number => Date.parse(`2026-03-01T${text}:00Z`)
    const turns = { 'node-0': { config: 'V1', from: '1', at: time(given) } }
    const record = JSON.stringify({ turns, took: [300, 360, 5000], endedAt: time(ended) })
    const annotations = { 'machinist.dev/rollout': record }
    const nodes = [at('V0', 'V1', { ...draining, version: '2' }), at('V0'), at('V0'), at('V0')]
    const eta = end === undefined ? '' : `. Expected to end at about ${end}`
    expect(updating({ annotations, maxUnavailable: 2 }, nodes)).toBe(
      `True Progressing: 0 of 4 nodes are updated to MachineConfig V1${eta}`,
    )
  })

  it('and the expected end, from the durations of earlier turns', () => {
    const record = JSON.stringify({
      turns: {},
      took: [300, 360, 5000],
      endedAt: Date.parse('2026-03-01T09:59:00Z'),
    })
    const annotations = { 'machinist.dev/rollout': record }
    const nodes = [at('V1'), at('V0'), at('V0'), at('V0')]
    expect(updating({ annotations, maxUnavailable: 2 }, nodes)).toBe(
      'True Progressing: 1 of 4 nodes are updated to MachineConfig V1. Expected to end at about 2026-03-01T10:12Z',
    )
  })
})

describe('a layered pool reports the state of its image', () => {
  const config: MachineOSConfig = {
    metadata: { name: 'infra' },
    spec: { machineConfigPool: { name: 'infra' } } as MachineOSConfig['spec'],
  }
  const image = `registry.example.com/os@sha256:${'a'.repeat(64)}`
  const build = (condition?: string): MachineOSBuild => ({
    metadata: { name: 'infra-1' },
    spec: {
      machineConfig: { name: 'V1' },
      machineOSConfig: { name: 'infra' },
      renderedImagePushSpec: 'registry.example.com/os:latest',
    },
    status: {
      conditions: condition
        ? [{ type: condition, status: 'True', reason: 'X', message: '', lastTransitionTime: '' }]
        : [],
    },
  })
  const wait = 'True WaitingForImage: Pool is waiting for'
  const paused = 'WaitingForImage: Pool is paused; its build is'
  it.each<[string, MachineOSBuild | undefined, string, string]>([
    [
      'no build',
      undefined,
      `${wait} a new build of MachineOSConfig infra to start`,
      'True WaitingForImage: Pool is paused; waiting for a new build of MachineOSConfig infra to start',
    ],
    [
      'initial',
      build(),
      `${wait} the build infra-1 to start`,
      `True ${paused} created but not yet started`,
    ],
    [
      'prepared',
      build('Prepared'),
      `${wait} the build infra-1 to start`,
      `True ${paused} prepared but will not roll out`,
    ],
    [
      'building',
      build('Building'),
      `${wait} the build infra-1 to complete`,
      `True ${paused} in progress`,
    ],
    [
      'failed',
      build('Failed'),
      'False ImageBuildFailed: Pool update stopped due to build failure of MachineOSBuild infra-1',
      'False ImageBuildFailed: Pool update stopped due to build failure of MachineOSBuild infra-1',
    ],
    [
      'interrupted',
      build('Interrupted'),
      'False ImageBuildFailed: Pool update stopped due to interruption of MachineOSBuild infra-1',
      'False ImageBuildFailed: Pool update stopped due to interruption of MachineOSBuild infra-1',
    ],
  ])('%s', (_, made, unpausedText, pausedText) => {
    const more = { image: imageState(config, made) }
    expect(updating({}, [at('V0')], more)).toBe(unpausedText)
    expect(updating({ paused: true }, [at('V0')], more)).toBe(pausedText)
  })

  it('succeeded', () => {
    const taken = { ...config, status: { currentImagePullSpec: image } }
    const more = { image: imageState(taken, build('Succeeded')) }
    const line = `MachineConfig V1 / Image ${image}`
    expect(updating({}, [at('V0')], more)).toBe(
      `True Progressing: 0 of 1 nodes are updated to ${line}`,
    )
    expect(updating({ paused: true }, [at('V0')], more)).toBe(
      `False Paused: Pool is paused; will not update to ${line}`,
    )
    const there = at('V1', 'V1', { currentImage: image, desiredImage: image })
    expect(updating({}, [there], more)).toBe('False : ')
  })
})

describe('a pool that is not updating', () => {
  it('reports that it is paused', () => {
    expect(updating({ paused: true }, [at('V0')])).toBe(
      'False Paused: Pool is paused; will not update to MachineConfig V1',
    )
  })

  it('has no reason if all nodes are updated', () => {
    expect(updating({}, [at('V1')])).toBe('False : ')
  })

  it('reports that no config is rendered', () => {
    expect(updating({ target: '' }, [at('V0')])).toBe(
      'False NotConfigured: No config is rendered for this pool yet',
    )
  })
})
