import { expect, it } from 'vitest'
import { conformance } from '../support/conformance.ts'
import { budget, counted, oneOf, running } from '../support/disruption.ts'
import { followKubectl } from '../support/kubectl.ts'
import { node } from '../support/objects.ts'

conformance('kubectl and nodes', (on) => {
  it(
    'cordon and uncordon',
    on(async ({ api, kubectl, unique }) => {
      const path = `/api/v1/nodes/${unique}`
      await api.post('/api/v1/nodes', node(unique))
      expect((await kubectl('cordon', unique)).stdout).toBe(`node/${unique} cordoned\n`)
      expect((await kubectl('cordon', unique)).stdout).toBe(`node/${unique} already cordoned\n`)
      expect((await api.get(path)).body.spec).toMatchObject({ unschedulable: true })
      expect((await kubectl('uncordon', unique)).stdout).toBe(`node/${unique} uncordoned\n`)
      expect((await api.get(path)).body.spec).not.toHaveProperty('unschedulable')
      const missing = await kubectl('cordon', `no-${unique}`)
      expect(missing.stderr).toBe(`Error from server (NotFound): nodes "no-${unique}" not found\n`)
    }),
  )

  it(
    'taint and untaint',
    on(async ({ api, kubectl, unique }) => {
      await api.post('/api/v1/nodes', node(unique))
      const tainted = await kubectl('taint', 'node', unique, 'use=special:NoSchedule')
      expect(tainted.stdout).toBe(`node/${unique} tainted\n`)
      const { body } = await api.get(`/api/v1/nodes/${unique}`)
      expect(body.spec['taints']).toContainEqual({
        key: 'use',
        value: 'special',
        effect: 'NoSchedule',
      })
      const clean = await kubectl('taint', 'node', unique, 'use-')
      expect(clean.stdout).toBe(`node/${unique} untainted\n`)
    }),
  )

  it(
    'drain: an empty node',
    on(async ({ api, kubectl, unique }) => {
      await api.post('/api/v1/nodes', node(unique))
      const { code, stdout } = await kubectl('drain', unique, '--timeout=30s')
      expect(code).toBe(0)
      expect(stdout).toBe(`node/${unique} cordoned\nnode/${unique} drained\n`)
    }),
  )

  it(
    'drain: a budget blocks, then allows',
    on(async ({ api, target, namespace, unique }) => {
      await api.post('/api/v1/nodes', node(unique))
      await running(api, namespace, 'web-1', 'web', { nodeName: unique })
      await budget(api, namespace, 'web', oneOf(1))
      const drain = followKubectl(
        target,
        'drain',
        unique,
        '--force',
        '--timeout=40s',
        '--grace-period=0',
      )
      try {
        expect(await drain.line()).toBe(`node/${unique} cordoned`)
        // The first attempt is denied; kubectl retries every five seconds.
        expect(await drain.line()).toBe(`evicting pod ${namespace}/web-1`)
        await running(api, namespace, 'web-2', 'web')
        await counted(api, namespace, 'web', oneOf(2))
        const rest: string[] = []
        while (rest.at(-1) !== `node/${unique} drained`) {
          const line = await drain.line()
          expect(line).not.toBe('undefined')
          rest.push(line)
        }
        expect(rest).toContain('pod/web-1 evicted')
      } finally {
        drain.end()
      }
      expect((await api.get(`/api/v1/namespaces/${namespace}/pods/web-1`)).code).toBe(404)
    }),
  )

  it(
    'drain: pods without a controller',
    on(async ({ api, kubectl, namespace, unique }) => {
      await api.post('/api/v1/nodes', node(unique))
      await running(api, namespace, 'lonely', 'web', { nodeName: unique })
      const { code, stderr } = await kubectl('drain', unique, '--timeout=30s')
      expect(code).toBe(1)
      expect(stderr).toContain(
        `cannot delete Pods that declare no controller (use --force to override): ${namespace}/lonely`,
      )
    }),
  )

  it(
    'drain: a dry run changes nothing',
    on(async ({ api, kubectl, namespace, unique }) => {
      await api.post('/api/v1/nodes', node(unique))
      await running(api, namespace, 'web-1', 'web', { nodeName: unique })
      const { code, stdout } = await kubectl('drain', unique, '--force', '--dry-run=server')
      expect(code).toBe(0)
      expect(stdout).toBe(
        `node/${unique} cordoned (server dry run)\nevicting pod ${namespace}/web-1 (server dry run)\nnode/${unique} drained (server dry run)\n`,
      )
      const { body } = await api.get(`/api/v1/namespaces/${namespace}/pods/web-1`)
      expect(body.metadata.deletionTimestamp).toBeUndefined()
      expect((await api.get(`/api/v1/nodes/${unique}`)).body.spec).not.toHaveProperty(
        'unschedulable',
      )
    }),
  )

  it(
    'create and get poddisruptionbudgets',
    on(async ({ kubectl, namespace }) => {
      const made = await kubectl(
        'create',
        'pdb',
        'web',
        '--selector=app=web',
        '--min-available=50%',
        '-n',
        namespace,
      )
      expect(made.stdout).toBe('poddisruptionbudget.policy/web created\n')
      const { stdout } = await kubectl('get', 'pdb', 'web', '-n', namespace)
      expect(stdout.split('\n').map((line) => line.replace(/ +[0-9]+m?s$/, ''))).toEqual([
        'NAME   MIN AVAILABLE   MAX UNAVAILABLE   ALLOWED DISRUPTIONS   AGE',
        'web    50%             N/A               0',
        '',
      ])
    }),
  )
})
