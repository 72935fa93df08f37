import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Unit } from '@machinist/ignition/spec/config'
import type { MachineConfig } from '../../../src/api/kinds/resources.ts'

const standIn = '/opt/node /opt/machinist/test/hosts/join/kubelet-stand-in.ts'

/** The disk of a machine before its first boot: a Debian with the program in place of a kubelet. */
export function installedRoot(tools: string, root: string): void {
  execFileSync('cp', ['--archive', `${tools}/root`, root])
  beforeFirstBoot(root)
  writeFileSync(join(root, 'usr/bin/kubelet'), `#!/bin/sh\nexec ${standIn} "$@"\n`, { mode: 0o755 })
}

/** Makes the next boot the first one. */
export function beforeFirstBoot(root: string): void {
  writeFileSync(join(root, 'etc/machine-id'), 'uninitialized\n')
  const unit = (name: string): string => join(root, 'etc/systemd/system', name)
  rmSync(unit('systemd-machine-id-commit.service'))
  // It asks questions on the console.
  symlinkSync('/dev/null', unit('systemd-firstboot.service'))
}

/** The program in place of the kubelet for an OS whose images have none. */
export const kubeletDropin = {
  name: '99-stand-in.conf',
  contents: `[Service]\nExecStart=\nExecStart=${standIn} --bootstrap-kubeconfig=/etc/kubernetes/kubeconfig --kubeconfig=/var/lib/kubelet/kubeconfig\n`,
}

const service = join(import.meta.dirname, '../../../deploy/node/machinist-daemon.service')

/** A MachineConfig of workers: the daemon as a service, and one file and unit to look at. */
export function daemonConfig(
  spec: MachineConfig['spec'] = {},
  units: readonly Unit[] = [],
): MachineConfig {
  // The network is shared, so use any free port.
  const daemon = readFileSync(service, 'utf8').replace(':8797', ':0')
  const own =
    '[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n'
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfig',
    metadata: {
      name: '50-worker-machinist-daemon',
      labels: { 'machineconfiguration.openshift.io/role': 'worker' },
    },
    spec: {
      ...spec,
      config: {
        ignition: { version: '3.2.0' },
        storage: {
          files: [
            {
              path: '/etc/machinist/daemon.env',
              mode: 0o644,
              contents: { source: `data:,${encodeURIComponent('OPTIONS=--kubelet-health=off\n')}` },
            },
            {
              path: '/etc/hello',
              mode: 0o640,
              group: { name: 'core' },
              contents: { source: 'data:,hello%0A' },
            },
          ],
        },
        systemd: {
          units: [
            { name: 'machinist-daemon.service', enabled: true, contents: daemon },
            { name: 'own.service', enabled: true, contents: own },
            ...units,
          ],
        },
      },
    },
  }
}
