import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { ignoreNotFound } from '@machinist/kube/failure'
import { KubeClient } from '@machinist/kube/client/client'
import { certificateSigningRequests } from '@machinist/kube/kinds/certificates'
import { configMaps, secrets } from '@machinist/kube/kinds/core'
import { describeOnRealCluster } from '@machinist/testing/clusters/real-cluster'
import { until } from '@machinist/testing/until'
import {
  clientSigner,
  opensslRequest,
  requestObject,
} from '@machinist/testing/certificates/kubelet-request'
import { poolLabel } from '../../../src/api/labels.ts'
import { configMaps as sources, secrets as fixedSecrets } from '../../../src/api/names.ts'
import {
  kubeletConfigs,
  machineConfigPools,
  machineConfigs,
} from '../../../src/api/kinds/resources.ts'
import { installMachine } from '../../../src/devcluster/nodes/ignition-stand-in.ts'
import { writeKubeconfigs } from '../../../src/devcluster/nodes/node-kubeconfigs.ts'
import { registerNode, reportHealth } from '../../../src/devcluster/nodes/node-object.ts'
import { completeInstallation } from '../../../src/devcluster/installation/trust-sources.ts'
import { openSandbox } from '../../../src/daemon/host/sandbox/sandbox.ts'
import { authority, authorityPair } from '../../integration/daemon/trust/certificates.ts'
import { startPrometheus } from '../../integration/monitoring/prometheus.ts'
import { findProgram } from '../../integration/monitoring/promtool.ts'
import { userDataKey } from '../../../src/fleet/provisioning/user-data-key.ts'
import { kubeletsCertificate, open, tokenOf } from '../../integration/deploy/identities.ts'
import { bootstrapTokenIn, readPointer } from '../../integration/deploy/machine-pointer.ts'
import type { ConfigResponse } from '../../integration/deploy/machine-request.ts'
import { requestConfig } from '../../integration/deploy/machine-request.ts'
import { base64, Programs } from '../../integration/deploy/programs.ts'
import { formatRequest } from '../../integration/deploy/recorded-request.ts'
import type { Stage } from '../../integration/deploy/stage.ts'
import { folder } from '../../integration/deploy/stage.ts'
import { startReal } from '../../integration/deploy/start-real.ts'

const root = join(import.meta.dirname, '../../..')
const never = new AbortController().signal

/** As docs/install.md has it: what images hold, started as pods start it, on a Kubernetes that has nothing but itself. */
describeOnRealCluster('a plain Kubernetes with deploy/ and the programs of the images', () => {
  const programs = new Programs()
  let stage: Stage

  beforeAll(async () => {
    ;[stage] = await Promise.all([startReal(), programs.build()])
  })
  afterAll(async () => {
    await programs.children.stop()
    await stage?.stop()
  })

  it('does all of it with the credentials that it gives', async () => {
    const { client, kubectl } = stage
    await kubectl('apply', '--server-side', '-k', folder(''))
    await kubectl('apply', '-f', join(root, 'examples/cluster.yaml'))
    const api = await authorityPair('the-api-servers-own')
    for (const [name, pem] of [
      ['initial-kube-apiserver-server-ca', await authority('who-calls-kubelets-today')],
      ['initial-serving-ca', api.certificate],
    ] as const) {
      const metadata = { namespace: 'openshift-config', name }
      await client.create(configMaps, { metadata, data: { 'ca-bundle.crt': pem } })
    }
    await kubectl('apply', '-f', join(root, 'examples/trust-rotation.yaml'))
    for (const [command, part, ...more] of [
      ['signer', 'signer'],
      ['operator', 'operator'],
      ['controller', 'controllers', '--render-window=0', '--metrics-listen=127.0.0.1:0'],
    ] as const) {
      const token = await tokenOf(client, part)
      const kubeconfig = programs.kubeconfig(stage, command, { token })
      programs.start('cluster', command, command, `--kubeconfig=${kubeconfig}`, ...more)
    }
    for (const source of [sources.kubeletClientCA, sources.apiServerCA]) {
      await until(`${source.name} is published`, async () => {
        return (await ignoreNotFound(client.get(configMaps, source))) !== undefined
      })
    }
    await completeInstallation(client)

    const pool = async (): Promise<string | undefined> => {
      const found = await ignoreNotFound(client.get(machineConfigPools, { name: 'worker' }))
      return found?.spec.configuration?.name
    }
    await until('workers have a config', async () => (await pool()) !== undefined)
    const served = await client.get(machineConfigs, { name: (await pool())! })
    for (const number of [0, 1]) {
      const name = `sandbox-${number}`
      const planned = { name, pool: 'worker', number, address: `198.18.1.${number + 1}` }
      const machine = await openSandbox({ root: programs.at(name), clock: systemClock })
      await installMachine(
        { machine, clock: systemClock, log: silentLogger },
        async () => served,
        never,
      )
      await writeKubeconfigs(machine.files, api.certificate)
      await registerNode(client, planned)
      const bootId = await machine.power.bootId()
      await reportHealth(client, systemClock, planned, { ready: 'True', why: 'it is', bootId })
      const token = await tokenOf(client, 'daemon', name)
      const { certificate, key } = await kubeletsCertificate(stage, name)
      const kubelet = {
        'client-certificate-data': base64(certificate),
        'client-key-data': base64(key),
      }
      programs.start(
        'daemon',
        name,
        'daemon',
        `--node=${name}`,
        '--host=sandbox',
        `--root=${programs.at(name)}`,
        `--kubeconfig=${programs.kubeconfig(stage, name, { token })}`,
        `--node-kubeconfig=${programs.kubeconfig(stage, `kubelet-${name}`, kubelet)}`,
        '--metrics=127.0.0.1:0',
        '--secure-metrics',
      )
    }
    const isUpdated = async (): Promise<boolean> => {
      const { spec, status } = await client.get(machineConfigPools, { name: 'worker' })
      const isIn = status?.configuration?.name === spec.configuration?.name
      return isIn && status?.updatedMachineCount === 2
    }
    await until('both nodes are in it', isUpdated)
    await kubectl('apply', '-f', join(root, 'examples/without-reboot.yaml'))
    await until('there is another config', async () => (await pool()) !== served.metadata.name)
    await until('both nodes are in the other one', isUpdated)

    await client.create(kubeletConfigs, {
      metadata: { name: 'ours' },
      spec: {
        machineConfigPoolSelector: { matchLabels: { [poolLabel('master')]: '' } },
        kubeletConfig: { maxPods: 100 },
      },
    })
    const generated = { name: '99-master-generated-kubelet' }
    await until('its config is made', async () => {
      return (await ignoreNotFound(client.get(machineConfigs, generated))) !== undefined
    })
    const { metadata } = await client.get(machineConfigs, generated)
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'KubeletConfig', name: 'ours' }])
  })

  it('gives a machine with the user data of its pool the config, and a credential', async () => {
    const { client } = stage
    const found = async <T>(reading: Promise<T>): Promise<boolean> =>
      (await ignoreNotFound(reading)) !== undefined
    const userData = userDataKey('worker', 'machinist-provisioning')
    await until('the server has a certificate, and the pool user data', async () => {
      const isIssued = await found(client.get(secrets, fixedSecrets.serverTLS))
      return isIssued && (await found(client.get(secrets, userData)))
    })
    const { data: pair = {} } = await client.get(secrets, fixedSecrets.serverTLS)
    for (const file of ['tls.crt', 'tls.key']) {
      writeFileSync(programs.at(file), Buffer.from(pair[file]!, 'base64'), { mode: 0o600 })
    }
    const token = await tokenOf(client, 'server')
    programs.start(
      'cluster',
      'server',
      'server',
      `--kubeconfig=${programs.kubeconfig(stage, 'server', { token })}`,
      '--listen=127.0.0.1:0',
      `--tls-cert=${programs.at('tls.crt')}`,
      `--tls-key=${programs.at('tls.key')}`,
      '--metrics-listen=127.0.0.1:0',
      '--health-listen=127.0.0.1:0',
      '--secure-metrics',
    )
    const listening = (): string | undefined =>
      /"serving configs","urls":\["(https:[^"]+)"/.exec(
        programs.children.logTail('server', 1000),
      )?.[1]
    await until('the server listens', () => listening() !== undefined)
    const { data = {} } = await client.get(secrets, userData)
    const pointer = readPointer(Buffer.from(data['userData']!, 'base64').toString())
    const answer = (other = {}): Promise<ConfigResponse> =>
      requestConfig(new URL(listening()!), pointer, other)
    await until('it serves configs', async () => (await answer()).code === 200)
    const { distrust, body } = await answer()
    expect(distrust).toBeUndefined()
    expect((await answer({ token: 'x'.repeat(43) })).code).toBe(401)
    const transport = open(stage, {}, { authorization: `Bearer ${bootstrapTokenIn(body)}` })
    const machine = new KubeClient({ transport, clock: systemClock })
    const name = 'node-csr-new'
    const { spec } = requestObject(
      opensslRequest('/O=system:nodes/CN=system:node:new'),
      clientSigner,
    )
    await machine.create(certificateSigningRequests, { metadata: { name }, spec })
    await until('its certificate is approved', async () => {
      const { status } = await machine.get(certificateSigningRequests, { name })
      return status?.conditions?.[0]?.type === 'Approved'
    })
    transport.close()
  })

  it('lets Prometheus collect numbers as deploy/monitoring has it', async ({ skip }) => {
    const { program, reason } = await findProgram('prometheus')
    if (program === undefined) return skip(reason)
    const { kubectl } = stage
    await kubectl('apply', '-f', folder('monitoring/reader.yaml'))
    await kubectl('create', 'serviceaccount', 'prometheus')
    const reads = ['--clusterrole=machinist-metrics-reader', '--serviceaccount=default:prometheus']
    await kubectl('create', 'clusterrolebinding', 'machinist-metrics-reader', ...reads)
    const tokenFile = programs.at('prometheus-token')
    writeFileSync(tokenFile, (await kubectl('create', 'token', 'prometheus')).trim())
    const daemon = { job: 'machine-config-daemon', node: 'sandbox-0' }
    const targets = [
      {
        monitor: 'machinist',
        address: await programs.metricsOf('controller'),
        labels: { job: 'machine-config-controller' },
      },
      {
        monitor: 'machine-config-daemon',
        address: await programs.metricsOf('sandbox-0'),
        labels: daemon,
      },
      {
        monitor: 'machine-config-server',
        address: await programs.metricsOf('server'),
        labels: { job: 'machine-config-server', node: 'sandbox-0' },
      },
    ]
    const { children, at } = programs
    const options = { targets, tokenFile }
    const prometheus = await startPrometheus(children, program, at('prometheus'), options)
    const patience = { timeout: 60_000 }
    await expect.poll(prometheus.targets, patience).toEqual({
      'machine-config-controller': 'up',
      'machine-config-daemon': 'up',
      'machine-config-server': 'up',
    })
    // Nobody has told it where the signer is. That has to be so for a while before it is an alert.
    await expect.poll(prometheus.alerts, patience).toMatchObject({
      MachinistNoController: 'inactive',
      MachinistNoSigner: 'pending',
      MachinistNoServer: 'inactive',
      MachinistServerDown: 'inactive',
    })
    const states = Object.values(await prometheus.alerts())
    expect(states.filter((state) => !/^(inactive|pending|firing)$/.test(state))).toEqual([])
  })

  it('ends as it is told to, and nothing was refused all the time', async () => {
    expect(await programs.end()).toEqual({
      signer: 0,
      operator: 0,
      controller: 0,
      server: 0,
      'sandbox-0': 0,
      'sandbox-1': 0,
    })
    const asked = stage.recorded().filter(({ user }) => /^system:(serviceaccount|node):/.test(user))
    const refused = asked.filter(({ code }) => code === 403)
    expect(refused.map((request) => `${request.user} ${formatRequest(request)}`)).toEqual([])
    expect(new Set(asked.map(({ user }) => user)).size).toBe(8)
  })
})
