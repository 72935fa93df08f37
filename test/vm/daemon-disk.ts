import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseYaml, toYaml } from '@machinist/core/encoding/yaml'
import { bundle } from '../../scripts/bundle.ts'

/** The name of the machine's Node. */
export const nodeName = 'machine'

/** A disk with the daemon as in its image: one bundle, Node.js, and a kubeconfig. */
export async function makeDaemonDisk(directory: string, kubeconfig: string): Promise<string> {
  const content = join(directory, 'daemon')
  mkdirSync(content)
  await bundle(content)
  copyFileSync(process.execPath, join(content, 'node'))
  writeFileSync(
    join(content, 'kubeconfig'),
    fromInside(kubeconfig, readFileSync(kubeconfig, 'utf8')),
  )
  writeFileSync(join(content, 'start'), start)
  chmodSync(join(content, 'start'), 0o755)
  const disk = join(directory, 'daemon.img')
  execFileSync('mke2fs', [
    '-q',
    '-F',
    '-t',
    'ext4',
    '-O',
    '^has_journal',
    '-d',
    content,
    disk,
    '256M',
  ])
  rmSync(content, { recursive: true })
  return disk
}

const options = `--node ${nodeName} --kubeconfig /opt/machinist/kubeconfig --rules 4.16`
const start = `#!/bin/sh
export NODE_COMPILE_CACHE=/var/cache/machinist
exec /opt/machinist/machinist daemon ${options}
`

/** The machine reaches the loopback of the test at an address of qemu; the certificate still names localhost. */
function fromInside(path: string, text: string): string {
  const config = parseYaml(text, path) as { clusters: { cluster: { server: string } }[] }
  const clusters = config.clusters.map((entry) => ({
    ...entry,
    cluster: {
      ...entry.cluster,
      server: entry.cluster.server.replace('127.0.0.1', '10.0.2.2'),
      'tls-server-name': 'localhost',
    },
  }))
  return toYaml({ ...config, clusters })
}
