import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KubeClient } from '@machinist/kube/client/client'
import { configMaps, nodes, secrets } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { createAuthority, issueCertificate } from '@machinist/pki/issue'
import {
  controllerConfigs,
  nodeTrusts,
  trustRotations,
} from '../../../../src/api/kinds/resources.ts'
import { readCluster } from '../../../../src/cli/commands/certs/read-cluster.ts'
import { run } from '../../../../src/cli/program.ts'
import { controllerConfig, makeNamespace } from '../../controllers/support/cluster-objects.ts'
import { installDefinitions } from '../../../../src/api/definitions/definitions.fixture.ts'

export interface Reached {
  readonly client: KubeClient
  /** With all permissions, and with none. */
  readonly kubeconfig: string
  readonly nobody?: string
  stop(): Promise<void>
}

const day = 86_400_000
const operator = 'openshift-kube-apiserver-operator'
const canary = 'CANARY-OF-A-PRIVATE-KEY'
const signerName = `${operator}_kube-apiserver-to-kubelet-signer@1794837900`

interface Ran {
  readonly code: number
  readonly out: string
  readonly error: string
}

/** The output of `machinist certs`, with the embedded API server and with a real one. */
export function certsCases(reach: () => Promise<Reached>): void {
  let reached: Reached
  const directory = mkdtempSync(join(tmpdir(), 'machinist-certs-'))
  const time = (days: number): string =>
    new Date(Date.now() + days * day).toISOString().replace(/\.\d+Z$/, 'Z')

  beforeAll(async () => {
    reached = await reach()
    const { client } = reached
    await installDefinitions(client)
    const used = [
      'openshift-config-managed',
      operator,
      'openshift-kube-apiserver',
      'openshift-machine-config-operator',
    ]
    for (const name of used) await makeNamespace(client, name)
    await fill(client)
  })
  afterAll(async () => {
    rmSync(directory, { recursive: true })
    await reached.stop()
  })

  async function fill(client: KubeClient): Promise<void> {
    const validity = { from: Date.now() - 65 * day, until: Date.now() + 300.5 * day }
    const authority = await createAuthority({ name: signerName, validity })
    const leaf = await issueCertificate(authority, {
      commonName: 'system:kube-apiserver',
      usages: ['client'],
      validity: { from: Date.now() - 18 * day, until: Date.now() + 12.5 * day },
    })
    const type = 'auth.openshift.io/managed-certificate-type'
    const secret = async (
      namespace: string,
      name: string,
      kind: string,
      [from, until]: readonly [number, number],
      certificate: string,
    ): Promise<void> => {
      const annotations = {
        'auth.openshift.io/certificate-issuer': signerName,
        'auth.openshift.io/certificate-not-before': time(from),
        'auth.openshift.io/certificate-not-after': time(until),
      }
      await client.create(secrets, {
        metadata: { namespace, name, labels: { [type]: kind }, annotations },
        type: 'kubernetes.io/tls',
        stringData: { 'tls.crt': certificate, 'tls.key': canary },
      })
    }
    const signer = 'kube-apiserver-to-kubelet-signer'
    await secret(operator, signer, 'signer', [-65, 300.5], authority.certificate)
    const target = ['openshift-kube-apiserver', 'kubelet-client', 'target'] as const
    await secret(...target, [-18, 12.5], leaf.certificate)
    await client.create(configMaps, {
      metadata: { namespace: 'openshift-config-managed', name: 'kube-apiserver-client-ca' },
      data: { 'ca-bundle.crt': authority.certificate },
    })
    await client.create(trustRotations, {
      metadata: { name: 'kubelet-client' },
      spec: {
        signer: { namespace: operator, name: signer },
        bundle: { namespace: operator, name: 'kube-apiserver-to-kubelet-client-ca' },
        trustedBy: 'kubelet-client-ca',
      },
    })
    const laggards = [{ name: 'worker-2', since: time(-2), why: 'NotReady' }]
    const status = { phase: 'Preparing', phaseSince: time(-2), nodes: { total: 2, laggards } }
    await client.patch(trustRotations, { name: 'kubelet-client' }, mergePatch({ status }), {
      subresource: 'status',
    })
    await controllerConfig(client)
    const annotations = { 'machinist.dev/trust-digests': '{"kubelet-client-ca":"new"}' }
    const kubeAPIServerServingCAData = Buffer.from(authority.certificate).toString('base64')
    const change = mergePatch({ metadata: { annotations }, spec: { kubeAPIServerServingCAData } })
    await client.patch(controllerConfigs, { name: 'machine-config-controller' }, change)
    for (const [name, digest] of Object.entries({ 'worker-1': 'new', 'worker-2': 'old' })) {
      await client.create(nodes, { metadata: { name } })
      await client.create(nodeTrusts, { metadata: { name } })
      const item = {
        name: 'kubelet-client-ca',
        state: 'Current',
        paths: ['/etc/kubernetes/kubelet-ca.crt'],
        wantedDigest: digest,
        actualDigest: digest,
        certificates: [{ fingerprint: 'f', subject: `CN=${signerName}`, notAfter: time(300.5) }],
      }
      const patch = mergePatch({ status: { delivery: 'direct', items: [item] } })
      await client.patch(nodeTrusts, { name }, patch, { subresource: 'status' })
    }
  }

  const ran = async (
    args: readonly string[] = [],
    kubeconfig = reached.kubeconfig,
    columns?: number,
  ): Promise<Ran> => {
    const file = join(directory, 'kubeconfig')
    writeFileSync(file, kubeconfig)
    let [out, error] = ['', '']
    const code = await run(['certs', '--kubeconfig', file, ...args], {
      out: (text) => void (out += text),
      error: (text) => void (error += text),
      read: () => Promise.reject(new Error('nothing is read')),
      stopped: () => new Promise(() => {}),
      ...(columns && { window: () => ({ columns, rows: 40 }) }),
    })
    return { code, out, error }
  }

  describe('machinist certs', () => {
    it('shows signers, bundles, leaf certificates and nodes, and reads no key', async () => {
      const { code, out, error } = await ran()
      expect({ code, error }).toEqual({ code: 0, error: '' })
      expect(out).not.toContain(canary)
      expect(out.replaceAll(/\d{4}-\d\d-\d\d( \d\d:\d\d)?/g, 'DATE')).toContain(
        `
Upcoming
  Attention: rotation in progress: new kubelet-client-ca on 1 of 2 nodes
  Attention: worker-2 lags: NotReady (kubelet-client-ca)
  openshift-kube-apiserver/kubelet-client: refresh due in 6 days

kubelet-client-ca: CAs of clients that kubelets accept
  signer openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-signer: 300 days left, until DATE, refresh due in 226 days
    Attention: rotation kubelet-client: Preparing since DATE, delayed by worker-2 (NotReady), 1 more
  bundle openshift-config-managed/kube-apiserver-client-ca, then ControllerConfig: 1 certificate
    kube-apiserver-to-kubelet-signer@1794837900: 300 days left, until DATE
  Attention: leaf openshift-kube-apiserver/kubelet-client: 12 days left, until DATE, refresh due in 6 days
  Attention: nodes 1 of 2 have it
    Attention: worker-2 lags: NotReady
`,
      )
      // Keys are not even in memory.
      const facts = await readCluster(reached.client, Date.now())
      expect(facts.secrets).toHaveLength(2)
      expect(JSON.stringify(facts)).not.toContain(Buffer.from(canary).toString('base64'))
    })

    it('draws a tree on a terminal', async () => {
      const { out } = await ran([], reached.kubeconfig, 80)
      expect(out)
        .toContain(`├─ signer  openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-signer
│  │       ──━━━━━━━╋━━  300 d left  refresh due in 226 d
│  └─ ! rotation kubelet-client: Preparing since `)
      expect(out.split('\n').filter((line) => line.length > 80)).toEqual([])
    })

    it('prints JSON and YAML', async () => {
      const { out } = await ran(['-o', 'json'])
      expect(out).not.toContain(canary)
      const data = JSON.parse(out) as { trust: { name: string; nodes: unknown }[] }
      expect(data).toMatchObject({ notRead: [] })
      expect(data.trust[0]).toMatchObject({
        name: 'kubelet-client-ca',
        signers: [
          {
            object: `${operator}/kube-apiserver-to-kubelet-signer`,
            daysLeft: 300,
            rotation: { name: 'kubelet-client', phase: 'Preparing', waitsFor: 2 },
          },
        ],
        leafs: [{ object: 'openshift-kube-apiserver/kubelet-client', issuer: signerName }],
        nodes: { total: 2, holding: 1, lagging: [{ node: 'worker-2', state: 'Lagging' }] },
      })
      expect((await ran(['-o', 'yaml'])).out).toContain('    signers:\n      - object: openshift-')
    })

    it('shows the files of one node', async () => {
      const { code, out } = await ran(['--node', 'worker-2'])
      expect(code).toBe(0)
      expect(out.replaceAll(/\d{4}-\d\d-\d\d/g, 'DATE')).toBe(
        `Certificates of worker-2 (NotReady, direct delivery)

Missing
  Attention: kubelet-client-ca: NotReady

kubelet-client-ca
  state Current
  file /etc/kubernetes/kubelet-ca.crt
  ${signerName}: 300 days left, until DATE
`,
      )
      expect(await ran(['--node', 'nobody'])).toEqual({
        code: 1,
        out: '',
        error: 'machinist: node nobody not found; known nodes: worker-1, worker-2\n',
      })
      const json = JSON.parse((await ran(['--node', 'worker-1', '-o', 'json'])).out) as unknown
      expect(json).toMatchObject({ name: 'worker-1', lacks: [], items: [{ state: 'Current' }] })
    })

    it('fails a check if a certificate expires or a node lags', async () => {
      const { code, out, error } = await ran(['--check'])
      expect({ code, error }).toEqual({
        code: 1,
        error:
          'machinist: openshift-kube-apiserver/kubelet-client expires within 14 days; worker-2 lags\n',
      })
      expect(out).toContain('Upcoming')
      expect((await ran(['--check', '--days', '3', '--node', 'worker-1'])).code).toBe(0)
      expect((await ran(['--days', 'many'])).code).toBe(2)
    })

    it('lists objects without permission to read', async ({ skip }) => {
      if (reached.nobody === undefined) return skip('this cluster has no user without permissions')
      const { code, out } = await ran([], reached.nobody)
      expect(code).toBe(0)
      expect(out).toContain('\nNot read\n')
      expect(out).toContain('  Attention: NodeTrusts: no permission to read\n')
      expect(out).toContain(
        '  Attention: Secrets with certificates of all namespaces: no permission',
      )
    })
  })
}
