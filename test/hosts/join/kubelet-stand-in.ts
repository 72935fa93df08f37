import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { isObject } from '@machinist/core/encoding/json'
import { parseYaml } from '@machinist/core/encoding/yaml'
import { timestamp } from '@machinist/core/timestamp'
import { ignoreNotFound, isAlreadyExists } from '@machinist/kube/failure'
import { certificateSigningRequests } from '@machinist/kube/kinds/certificates'
import { nodes } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import {
  clientSigner,
  derRequest,
  newKey,
  pemOf,
  subjectOf,
} from '@machinist/testing/certificates/kubelet-request'
import { nodeKubeconfig } from '../../../src/fleet/provisioning/node-kubeconfig.ts'
import { connect } from '../../../src/process/connect.ts'

/*
 * A program in place of /usr/bin/kubelet, with its flags. Like a kubelet it gets its certificate with the bootstrap kubeconfig, creates
 * its Node and reports that it is ready. It runs no pods.
 */

const { values } = parseArgs({
  options: { 'bootstrap-kubeconfig': { type: 'string' }, kubeconfig: { type: 'string' } },
  strict: false,
  allowPositionals: true,
})
const { 'bootstrap-kubeconfig': bootstrap, kubeconfig } = values as Record<string, string>
const node = hostname()
const pki = '/var/lib/kubelet/pki/kubelet-client-current.pem'

if (!exists(kubeconfig!)) await requestCertificate()
const { client } = await connect({ kubeconfig })
await client.create(nodes, { metadata: { name: node } }).catch((error: unknown) => {
  if (!isAlreadyExists(error)) throw error
})
const now = timestamp(Date.now())
const ready = {
  type: 'Ready',
  status: 'True',
  reason: 'KubeletReady',
  lastHeartbeatTime: now,
  lastTransitionTime: now,
}
const bootID = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
const status = { conditions: [ready], nodeInfo: { bootID } }
await client.patch(nodes, { name: node }, mergePatch({ status }), { subresource: 'status' })
// On behalf of this process, its parent.
execFileSync('systemd-notify', ['--ready'])
setInterval(() => {}, 60_000)

async function requestCertificate(): Promise<void> {
  const { client: bootstrapper, close } = await connect({ kubeconfig: bootstrap })
  const key = newKey()
  const request = pemOf(derRequest({ subject: subjectOf(node), key }))
  const created = await bootstrapper.create(certificateSigningRequests, {
    metadata: { name: '', generateName: 'csr-' },
    spec: {
      request: Buffer.from(request).toString('base64'),
      signerName: clientSigner,
      usages: ['digital signature', 'client auth'],
    },
  })
  let certificate: string | undefined
  while (certificate === undefined) {
    await pause(100)
    const { name } = created.metadata
    const found = await ignoreNotFound(bootstrapper.get(certificateSigningRequests, { name }))
    certificate = found?.status?.certificate
  }
  close()
  const keyPem = key.privateKey.export({ type: 'pkcs8', format: 'pem' })
  write(pki, `${Buffer.from(certificate, 'base64').toString()}${keyPem}`)
  const user = { 'client-certificate': pki, 'client-key': pki }
  write(kubeconfig!, nodeKubeconfig({ ...clusterIn(bootstrap!), user }))
}

/** The API server and its CA in a kubeconfig. */
function clusterIn(path: string): { server: string; caBundle: Uint8Array } {
  const parsed = parseYaml(readFileSync(path, 'utf8'), path)
  const [first] = isObject(parsed)
    ? (parsed['clusters'] as { cluster: Record<string, string> }[])
    : []
  const { server = '', 'certificate-authority-data': ca = '' } = first?.cluster ?? {}
  return { server, caBundle: Buffer.from(ca, 'base64') }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text, { mode: 0o600 })
}

function exists(path: string): boolean {
  try {
    readFileSync(path)
    return true
  } catch {
    return false
  }
}
