import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { toYaml } from '@machinist/core/encoding/yaml'
import { nodes } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { ChildProcesses } from '@machinist/testing/processes/child-processes'
import { getOverTls } from '@machinist/testing/servers/get-over-tls'
import { until } from '@machinist/testing/until'
import { nodeAnnotations } from '../../src/api/annotations.ts'
import { nodePaths } from '../../src/api/node-paths.ts'
import type { MachineConfig } from '../../src/api/kinds/resources.ts'
import { machineConfigs, machineConfigurations } from '../../src/api/kinds/resources.ts'
import { makeDirectoriesAbove } from '../../src/daemon/trust/items/trust-file.ts'
import type { Api } from '../integration/daemon/cluster/api.ts'
import { startApi } from '../integration/daemon/cluster/api.ts'
import { annotationsOf } from '../integration/daemon/follow/facts.ts'
import { describeOnMachines } from '../hosts/host-tools.ts'
import { childOf, Machine } from '../hosts/machine.ts'
import { describeImages } from './images.ts'
import type { Account } from './pod.ts'
import { accountOf, megabytes } from './pod.ts'
import { argsOf } from './workload-args.ts'

const script = '/opt/machinist/test/images/run-daemon-in-image.sh'
const deploy = join(import.meta.dirname, '../../deploy')
const unit = 'hello.service'

describeImages('the daemon, from its image', ({ daemon }) => {
  describeOnMachines('on a machine with a real systemd', (tools) => {
    let api: Api
    let account: Account
    let machine: Machine
    let children: ChildProcesses
    let directory: string

    beforeAll(async () => {
      api = await startApi()
      directory = mkdtempSync(join(tmpdir(), 'machinist-daemon-pod-'))
      children = new ChildProcesses(directory)
      account = await accountOf(api.kubeconfig, join(directory, 'account'))
      machine = await Machine.start(async (place) => ({
        lower: `${tools}/root`,
        options: [
          `--directory=${place}/root`,
          `--bind-ro=${daemon.root}:/opt/image`,
          `--bind-ro=${account.directory}:/opt/account`,
        ],
        shared: true,
      }))
    })

    afterAll(async () => {
      await machine?.stop()
      await children?.stop()
      await api?.stop()
    })

    const put = async (path: string, text: string): Promise<void> => {
      const { files } = machine.host()
      await makeDirectoriesAbove(files, path)
      await files.write(path, { content: Buffer.from(text), mode: 0o600, uid: 0, gid: 0 })
    }

    /** The kubeconfig of a kubelet: it refers to a link that is valid only on the machine. */
    const giveKubeconfig = async (): Promise<void> => {
      const pki = '/var/lib/kubelet/pki'
      const read = (name: string): string => readFileSync(join(account.directory, name), 'utf8')
      await put(`${pki}/ca.crt`, read('ca.crt'))
      await put(`${pki}/token-1`, read('token'))
      await machine.host().files.link(`${pki}/token-current`, `${pki}/token-1`)
      const cluster = { server: account.server.origin, 'certificate-authority': `${pki}/ca.crt` }
      const kubeconfig = {
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'kubelet',
        contexts: [{ name: 'kubelet', context: { cluster: 'local', user: 'kubelet' } }],
        clusters: [{ name: 'local', cluster }],
        users: [{ name: 'kubelet', user: { tokenFile: `${pki}/token-current` } }],
      }
      await put(nodePaths.kubeletKubeconfig, toYaml(kubeconfig))
    }

    /** In the PID and network namespaces of the machine, with its own mounts; the API Service is not reachable. */
    let nsenter: ChildProcess
    const startDaemon = (): void => {
      const leader = machine.root.split('/')[2]!
      const inside = ['--target', leader, '--mount', '--pid', '--', 'env', '-i']
      const service = ['KUBERNETES_SERVICE_HOST=192.0.2.1', 'KUBERNETES_SERVICE_PORT=443']
      const variables = [...daemon.config.Env, ...service, 'NODE_NAME=machine']
      const apart = ['unshare', '--mount', '--propagation', 'slave']
      const pod = [script, '/opt/image', '/opt/account', ...daemon.config.Entrypoint]
      const words = [...inside, ...variables, ...apart, ...pod, ...argsOf('daemon/daemonset.yaml')]
      nsenter = children.start('daemon', 'nsenter', words)
    }

    const desire = async (name: string): Promise<void> => {
      const annotations = { [nodeAnnotations.desiredConfig]: name }
      await api.client.patch(nodes, { name: 'machine' }, mergePatch({ metadata: { annotations } }))
    }

    const done = (name: string): Promise<void> =>
      until(`the node is Done with ${name}`, async () => {
        const { metadata } = await api.client.get(nodes, { name: 'machine' })
        const now = metadata.annotations ?? {}
        if (now[nodeAnnotations.state] === 'Degraded') throw new Error(now[nodeAnnotations.reason])
        return now[nodeAnnotations.currentConfig] === name && now[nodeAnnotations.state] === 'Done'
      }).catch((error: Error) => {
        throw new Error(`${error.message}\n${children.logTail('daemon')}`)
      })

    const shown = (property: string): Promise<string> =>
      machine.run('systemctl', 'show', `--property=${property}`, unit)

    it('restarts a service of the machine when its unit changes, and reaches the API', async () => {
      const before = withUnits('before', [])
      for (const each of [before, hello('one', 1000), hello('two', 2000)]) {
        await api.client.create(machineConfigs, each)
      }
      await allowRestarts(api)
      const annotations = annotationsOf({
        current: 'before',
        desired: 'before',
        state: 'Done',
        topology: 'SingleReplica',
      })
      await api.client.create(nodes, { metadata: { name: 'machine', annotations } })
      await put(nodePaths.currentConfig, JSON.stringify(before))
      await giveKubeconfig()
      startDaemon()

      await desire('one')
      await done('one')
      const invocation = await shown('InvocationID')
      expect(await shown('ExecStart')).toContain('argv[]=/bin/sleep 1000')
      expect(await machine.run('systemctl', 'is-active', unit)).toBe('active')
      expect(await machine.run('systemctl', 'is-enabled', unit)).toBe('enabled')

      await desire('two')
      await done('two')
      expect(await shown('ExecStart')).toContain('argv[]=/bin/sleep 2000')
      expect(await shown('InvocationID')).not.toBe(invocation)
      expect(await machine.run('systemctl', 'is-active', unit)).toBe('active')
      process.stderr.write(`daemon: ${megabytes(childOf(nsenter.pid!))} MB after two updates\n`)
    })

    it('serves metrics to authorized users, and its health to all users', async () => {
      const log = readFileSync(join(directory, 'daemon.log'), 'utf8')
      const [, origin] = /^ready: .* metrics at (https:\S+)\/metrics$/m.exec(log) ?? []
      const token = readFileSync(join(account.directory, 'token'), 'utf8')
      expect(await getOverTls(`${origin}/readyz`)).toMatchObject({ code: 200, text: 'ok\n' })
      expect(await getOverTls(`${origin}/metrics`)).toMatchObject({ code: 401 })
      const { text } = await getOverTls(`${origin}/metrics`, token)
      expect(text).toContain('mcd_state{state="Done",reason=""}')
    })

    it('works as a service of the machine, too, with the kubelet’s credentials', async () => {
      const ended = once(nsenter, 'exit')
      process.kill(childOf(nsenter.pid!), 'SIGTERM')
      expect(await ended).toEqual([0, null])

      await machine.run('mount', '--bind', '/opt/image/opt/machinist', '/opt/machinist/bin')
      await put('/etc/machinist/daemon.env', 'NODE_NAME=machine\nOPTIONS=--kubelet-health=off\n')
      // The network is shared, so use any free port.
      const text = readFileSync(join(deploy, 'node/machinist-daemon.service'), 'utf8')
      await put('/etc/systemd/system/machinist-daemon.service', text.replace(':8797', ':0'))
      await machine.host().units.daemonReload()
      await machine.host().units.restart('machinist-daemon.service')
      await desire('one')
      await done('one')
      expect(await shown('ExecStart')).toContain('argv[]=/bin/sleep 1000')
      expect(
        await machine.run('journalctl', '--unit=machinist-daemon', '--output=cat', '--grep=^ready'),
      ).toMatch(/^ready: following node machine, metrics at http:\/\/127\.0\.0\.1:\d+\/metrics$/)
    })
  })
})

type Units = readonly { name: string; enabled: boolean; contents: string }[]

const withUnits = (name: string, units: Units): MachineConfig => ({
  apiVersion: 'machineconfiguration.openshift.io/v1',
  kind: 'MachineConfig',
  metadata: { name },
  spec: { config: { ignition: { version: '3.4.0' }, systemd: { units } } },
})

const hello = (name: string, seconds: number): MachineConfig => {
  const contents = `[Service]\nExecStart=/bin/sleep ${seconds}\n[Install]\nWantedBy=multi-user.target\n`
  return withUnits(name, [{ name: unit, enabled: true, contents }])
}

/** A disruption policy as the operator passes it to daemons; without it, a new unit needs a reboot. */
async function allowRestarts({ client }: Api): Promise<void> {
  const restart = { type: 'Restart', restart: { serviceName: unit } } as const
  const units = [{ name: unit, actions: [{ type: 'DaemonReload' } as const, restart] }]
  const spec = { managementState: 'Managed', nodeDisruptionPolicy: { units } } as const
  const { metadata } = await client.create(machineConfigurations, {
    metadata: { name: 'cluster' },
    spec,
  })
  const status = {
    observedGeneration: metadata.generation,
    nodeDisruptionPolicyStatus: { clusterPolicies: { units } },
  }
  await client.patch(machineConfigurations, { name: 'cluster' }, mergePatch({ status }), {
    subresource: 'status',
  })
}
