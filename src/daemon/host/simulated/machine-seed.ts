import type { NewDirectory, NewFile, OsDeployment, OsFacts } from '../host.ts'
import { bootIdPath, nextBootId } from './simulated-power.ts'
import { osStatePath, osStateText } from './simulated-os.ts'
import { simulationState } from './state-file.ts'

export interface MachineOptions {
  readonly os?: Partial<Pick<OsFacts, 'id' | 'versionId' | 'variantId' | 'architecture' | 'fips'>>
  /** The first deployment. */
  readonly booted?: Partial<OsDeployment>
}

export interface MachineSeed {
  /** Parents first. */
  readonly directories: ReadonlyMap<string, NewDirectory>
  readonly files: ReadonlyMap<string, NewFile>
}

const root = { uid: 0, gid: 0 }
const core = { uid: 1000, gid: 1000 }

/** The disk of a new machine: only the files that the daemon reads. */
export function machineSeed({ os, booted }: MachineOptions, salt: string): MachineSeed {
  const deployment = { ...firstDeployment, ...booted }
  const texts: Readonly<Record<string, string>> = {
    '/etc/os-release': releaseText({ id: 'fedora', versionId: '41', variantId: 'coreos', ...os }),
    '/etc/passwd':
      'root:x:0:0:root:/root:/bin/bash\ncore:x:1000:1000:CoreOS Admin:/home/core:/bin/bash\n',
    '/etc/group': 'root:x:0:\nwheel:x:10:core\ncore:x:1000:\n',
    '/proc/cmdline': `${deployment.kernelArguments.join(' ')}\n`,
    [bootIdPath]: `${nextBootId('', salt)}\n`,
    [osStatePath]: osStateText({ booted: deployment }),
    '/usr/lib/systemd/system-preset/90-default.preset':
      'enable chronyd.service\nenable crio.service\nenable sshd.service\n',
    '/usr/lib/systemd/system-preset/99-default-disable.preset': 'disable *\n',
    '/usr/lib/systemd/system/multi-user.target': '[Unit]\nDescription=Multi-User System\n',
    ...Object.fromEntries(services.map((name) => [serviceFile(name), serviceText(name)])),
    ...(os?.fips !== undefined && { '/proc/sys/crypto/fips_enabled': os.fips ? '1\n' : '0\n' }),
  }
  const files = new Map<string, NewFile>(
    Object.entries(texts).map(([path, text]) => [
      path,
      { content: Buffer.from(text), mode: 0o644, ...root },
    ]),
  )
  const shadow = 'root:*:20000:0:99999:7:::\ncore:*:20000:0:99999:7:::\n'
  files.set('/etc/shadow', { content: Buffer.from(shadow), mode: 0o600, ...root })
  return { directories: directoriesFor(files.keys()), files }
}

const firstDeployment: OsDeployment = {
  image: 'machine-os.example/os:1',
  kernelArguments: ['rw', 'root=LABEL=root', 'console=ttyS0'],
  kernelType: 'default',
  extensions: [],
}

/** The services that MachineConfigs and disruption policies commonly name. */
const services = [
  'NetworkManager',
  'auditd',
  'chronyd',
  'coreos-update-ca-trust',
  'crio',
  'dbus-broker',
  'firewalld',
  'irqbalance',
  'iscsid',
  'kubelet',
  'multipathd',
  'rsyslog',
  'sshd',
  'sssd',
  'systemd-journald',
  'systemd-logind',
  'systemd-modules-load',
  'systemd-resolved',
  'systemd-sysctl',
  'systemd-tmpfiles-setup',
  'systemd-udevd',
  'tuned',
]

const serviceFile = (name: string): string => `/usr/lib/systemd/system/${name}.service`

const serviceText = (name: string): string =>
  [
    '[Unit]',
    `Description=${name}`,
    '[Service]',
    `ExecStart=/usr/bin/${name}`,
    '[Install]',
    'WantedBy=multi-user.target',
    '',
  ].join('\n')

const releaseText = (os: { id: string; versionId: string; variantId: string }): string =>
  [
    `ID=${os.id}`,
    `VERSION_ID="${os.versionId}"`,
    `VARIANT_ID=${os.variantId}`,
    `PRETTY_NAME="Simulated ${os.id} ${os.variantId} ${os.versionId}"`,
    '',
  ].join('\n')

function directoriesFor(files: Iterable<string>): Map<string, NewDirectory> {
  const usual = { mode: 0o755, ...root }
  const directories = new Map<string, NewDirectory>()
  const addWithAbove = (path: string): void => {
    for (let end = path.indexOf('/', 1); end !== -1; end = path.indexOf('/', end + 1)) {
      const above = path.slice(0, end)
      if (!directories.has(above)) directories.set(above, usual)
    }
  }
  for (const path of [...files, ...emptyDirectories.map((path) => `${path}/`)]) addWithAbove(path)
  directories.set('/home/core', { mode: 0o700, ...core })
  directories.set('/root', { mode: 0o700, ...root })
  directories.set('/tmp', { mode: 0o1777, ...root })
  return directories
}

const emptyDirectories = [
  '/etc/systemd/system',
  '/home/core',
  '/opt',
  '/root',
  '/run',
  simulationState,
  '/tmp',
  '/usr/local',
  '/var/log',
]
