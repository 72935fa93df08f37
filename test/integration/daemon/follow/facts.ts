import { nodeAnnotations } from '../../../../src/api/annotations.ts'
import type { MachineConfig } from '../../../../src/api/resources.ts'
import type { Facts, NodeView } from '../../../../src/daemon/follow/facts.ts'
import { osCapabilities } from '../../../../src/planner/os-capabilities.ts'

/** A config with these files; `/etc/motd` by default. What no policy knows means a reboot. */
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

/** A file that a node takes over without a restart of anything. */
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
  const said = pairs.filter((pair): pair is [string, string] => pair[1] !== undefined)
  return { ...Object.fromEntries(said), ...annotated.more }
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

/** A node in `a` that is well; each test says what is different. */
export function facts(more: Partial<Facts> = {}): Facts {
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
