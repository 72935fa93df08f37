import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parseYaml } from '@machinist/core/encoding/yaml'
import { describeOnRealCluster } from '@machinist/testing/clusters/real-cluster'
import { until } from '@machinist/testing/until'
import type { PrinterColumn } from '../../src/table/custom-columns.ts'
import { customColumns } from '../../src/table/custom-columns.ts'
import type { StructuralSchema } from '../../src/schema/structure/structural-schema.ts'
import { builtInKinds, customKind } from './served.ts'
import type { TranslatingProxy } from './translating-proxy.ts'
import { startTranslatingProxy } from './translating-proxy.ts'

describeOnRealCluster('a real kubectl with our protobuf, tables and OpenAPI', (cluster) => {
  let proxy: TranslatingProxy
  let directory: string

  const kubectl = async (command: string): Promise<string> => {
    const args = [`--server=${proxy.url}`, `--cache-dir=${directory}`, ...command.split(' ')]
    const { stdout } = await promisify(execFile)(cluster.kubectl, args)
    return stdout
  }
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(directory, name), text)
    return join(directory, name)
  }

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'machinist-wire-'))
    proxy = await startTranslatingProxy(cluster, [...builtInKinds, gadget])
    const crd = await file('crd.yaml', JSON.stringify(definition))
    await kubectl(`apply -f ${crd}`)
    await kubectl('create namespace wire-kubectl')
    await until(
      'gadgets are served',
      async () => (await kubectl('get gadgets -A').catch(() => undefined)) !== undefined,
    )
  })

  afterAll(async () => {
    await kubectl('delete namespace wire-kubectl --wait=false')
    await kubectl(`delete crd ${definition.metadata.name} --wait=false`)
    await proxy[Symbol.asyncDispose]()
  })

  it('creates objects with bodies in protobuf', async () => {
    const made = 'create configmap made -n wire-kubectl --from-literal=a=b -o jsonpath={.data}'
    expect(await kubectl(made)).toBe('{"a":"b"}')
    expect(await kubectl('auth can-i delete nodes')).toBe('yes\n')
    expect(await kubectl('auth whoami -o jsonpath={.status.userInfo.username}')).toBe('admin-0')
    const bodies = proxy.seen.filter((line) => line.includes('vnd.kubernetes.protobuf'))
    expect(bodies.length).toBeGreaterThanOrEqual(4)
  })

  it('shows tables', async () => {
    const pod = await file('pod.yaml', podText)
    await kubectl(`apply -f ${pod}`)
    const pods = await kubectl('get pods -n wire-kubectl -o wide')
    expect(pods).toMatch(
      /^NAME +READY +STATUS +RESTARTS +AGE +IP +NODE +NOMINATED NODE +READINESS GATES\np +0\/1 +Pending +0 +\d+s +<none> +<none> +<none> +<none>\n$/,
    )
    const namespaces = await kubectl('get namespace wire-kubectl --no-headers')
    expect(namespaces).toMatch(/^wire-kubectl +Active +\d+s\n$/)
  })

  it('applies custom resources, strictly', async () => {
    const good = await file('good.yaml', gadgetText('size: 3'))
    expect(await kubectl(`apply -f ${good}`)).toBe('gadget.wire.example.com/g created\n')
    expect(await kubectl('get gg -n wire-kubectl')).toMatch(/^NAME +TEXT +SIZE +ON /)
    const bad = await file('bad.yaml', gadgetText('sighs: 3'))
    await expect(kubectl(`apply -f ${bad}`)).rejects.toThrow(
      'strict decoding error: unknown field "spec.sighs"',
    )
  })

  it("patches built-in kinds with kubectl's own merge keys", async () => {
    const first = await file('first.yaml', deploymentText('example.com/a:1'))
    await kubectl(`apply -f ${first}`)
    const second = await file('second.yaml', deploymentText('example.com/a:2'))
    expect(await kubectl(`apply -f ${second}`)).toBe('deployment.apps/d configured\n')
    const path = '/apis/apps/v1/namespaces/wire-kubectl/deployments/d?'
    expect(
      proxy.seen.some((line) =>
        line.startsWith(`PATCH application/strategic-merge-patch+json ${path}`),
      ),
    ).toBe(true)
    expect(
      await kubectl(
        'get deployment d -n wire-kubectl -o jsonpath={.spec.template.spec.containers[*].image}',
      ),
    ).toBe('example.com/a:2 example.com/b')
  })

  it('rejects unknown fields of built-in kinds through the server', async () => {
    const bad = await file('bad-pod.yaml', podText.replace('image:', 'imago: x, image:'))
    await expect(kubectl(`create --dry-run=server -f ${bad}`)).rejects.toThrow(
      'strict decoding error: unknown field "spec.containers[0].imago"',
    )
  })

  it('explains custom and built-in kinds', async () => {
    const custom = await kubectl('explain gadget.spec --recursive')
    expect(custom).toContain('GROUP:      wire.example.com\nKIND:       Gadget\nVERSION:    v1')
    expect(custom).toContain('What is wanted')
    expect(custom).toContain(
      'numbers\t<[]Object>\n    name\t<string> -required-\n    value\t<integer>',
    )
    const node = await kubectl('explain node.spec')
    expect(node).toContain('taints\t<[]Taint>')
    expect(node).toContain('unschedulable\t<boolean>')
    expect(await kubectl('explain pod.spec.containers.resources.limits')).toContain(
      'FIELD: limits <map[string]Quantity>',
    )
    expect(await kubectl('explain deploy --recursive')).toContain('maxUnavailable')
  })
})

interface Definition {
  kind: string
  metadata: { name: string }
  spec: {
    versions: {
      additionalPrinterColumns: PrinterColumn[]
      schema: { openAPIV3Schema: StructuralSchema }
    }[]
  }
}

const objectsFile = join(import.meta.dirname, 'objects.yaml')
const objects = parseYaml(readFileSync(objectsFile, 'utf8'), 'objects.yaml') as Definition[]
const definition = objects.find(({ kind }) => kind === 'CustomResourceDefinition')!
const version = definition.spec.versions[0]!
const gadget = customKind(
  'wire.example.com/v1',
  'Gadget',
  customColumns(version.additionalPrinterColumns),
  version.schema.openAPIV3Schema,
)

const podText = `
apiVersion: v1
kind: Pod
metadata: { name: p, namespace: wire-kubectl }
spec: { containers: [{ name: a, image: example.com/a }] }
`

const gadgetText = (field: string): string => `
apiVersion: wire.example.com/v1
kind: Gadget
metadata: { name: g, namespace: wire-kubectl }
spec: { text: hello, ${field} }
`

const deploymentText = (image: string): string => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: d, namespace: wire-kubectl }
spec:
  selector: { matchLabels: { app: d } }
  template:
    metadata: { labels: { app: d } }
    spec: { containers: [{ name: a, image: '${image}' }, { name: b, image: example.com/b }] }
`
