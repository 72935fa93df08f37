import { nodeAnnotations } from '../../../../src/api/annotations.ts'
import type { MachineConfig } from '../../../../src/api/kinds/resources.ts'
import type { FollowFacts } from '../../../../src/daemon/follow/facts/facts.ts'
import type { NodeView } from '../../../../src/daemon/node/node-view.ts'
import { osCapabilities } from '../../../../src/planner/model/os-capabilities.ts'

/** A config with these files; `/etc/motd` by default. A file that no policy covers causes a reboot. */
export function config(
  name: string,
  files: Readonly<Record<string, string>> = { '/etc/motd': name },
  spec: MachineConfig['spec'] = {},
): MachineConfig {
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfig',
    metadata: { name },
    spec: {
      ...spec,
      config: {
        ignition: { version: '3.4.0' },
        storage: {
          files: Object.entries(files).map(([path, content]) => ({
            path,
            mode: 0o644,
            overwrite: true,
            contents: { source: `data:,${encodeURIComponent(content)}` },
          })),
        },
      },
    },
  }
}

/** A file that takes effect without any restart. */
export const quietFile = '/var/lib/kubelet/config.json'

export interface Annotated {
  readonly current?: string
  readonly desired?: string
  readonly currentImage?: string
  readonly desiredImage?: string
  readonly state?: string
  readonly reason?: string
  readonly desiredDrain?: string
  readonly lastAppliedDrain?: string
  readonly topology?: string
  readonly more?: Readonly<Record<string, string>>
}

export function annotationsOf(annotated: Annotated): Record<string, string> {
  const pairs: [string, string | undefined][] = [
    [nodeAnnotations.currentConfig, annotated.current],
    [nodeAnnotations.desiredConfig, annotated.desired],
    [nodeAnnotations.currentImage, annotated.currentImage],
    [nodeAnnotations.desiredImage, annotated.desiredImage],
    [nodeAnnotations.state, annotated.state],
    [nodeAnnotations.reason, annotated.reason],
    [nodeAnnotations.desiredDrain, annotated.desiredDrain],
    [nodeAnnotations.lastAppliedDrain, annotated.lastAppliedDrain],
    [nodeAnnotations.controlPlaneTopology, annotated.topology],
  ]
  const present = pairs.filter((pair): pair is [string, string] => pair[1] !== undefined)
  return { ...Object.fromEntries(present), ...annotated.more }
}

export function node(annotated: Annotated, more: Partial<NodeView> = {}): NodeView {
  return {
    name: 'worker-1',
    uid: 'uid-1',
    annotations: annotationsOf(annotated),
    unschedulable: false,
    deleting: false,
    ...more,
  }
}

/** A healthy node in config `a`, with changes. */
export function facts(more: Partial<FollowFacts> = {}): FollowFacts {
  return {
    node: node({ current: 'a', desired: 'a', state: 'Done' }),
    disk: { config: config('a'), forced: false, problems: [] },
    rebooting: false,
    settled: true,
    machine: {
      os: osCapabilities['rpm-ostree'],
      architecture: 'x86_64',
      keysPath: 'authorized_keys.d/ignition',
      booted: { image: 'os:1', kernelArguments: ['rw'], kernelType: 'default', extensions: [] },
    },
    configs: {},
    rules: { rules: '4.16' },
    checked: { config: 'a', differences: [] },
    waitedMs: 0,
    drift: 'report',
    ...more,
  }
}

export const changedFile = {
  kind: 'file',
  at: '/etc/motd',
  what: 'has content sha256:1111, expected sha256:2222',
} as const
