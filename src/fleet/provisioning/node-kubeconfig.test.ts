import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseYaml } from '@machinist/core/encoding/yaml'
import { targetFromKubeconfig } from '@machinist/kube/connection/kubeconfig'
import { bootstrapKubeconfig, nodeKubeconfig } from './node-kubeconfig.ts'

const server = 'https://api-int.c.example.com:6443'
const ca = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'

it('the bootstrap kubeconfig, byte for byte', () => {
  expect(bootstrapKubeconfig(server, ca, 'abc.def')).toBe(
    `apiVersion: v1
kind: Config
current-context: kubelet
contexts:
  - name: kubelet
    context:
      cluster: local
      user: kubelet
clusters:
  - name: local
    cluster:
      server: https://api-int.c.example.com:6443
      certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCkFBQUEKLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo=
users:
  - name: kubelet
    user:
      token: abc.def
`,
  )
})

it('a client reads server, CA and token from it', async () => {
  const text = bootstrapKubeconfig(server, ca, 'abc.def')
  const target = await targetFromKubeconfig([{ path: 'kubeconfig', text }])
  expect(target).toMatchObject({ server, token: { text: 'abc.def' } })
})

it('every value is read back unchanged', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.uint8Array(), (url, token, caBundle) => {
      const text = nodeKubeconfig({ server: url, caBundle, user: { token } })
      expect(parseYaml(text, 'kubeconfig')).toMatchObject({
        clusters: [
          {
            cluster: {
              server: url,
              'certificate-authority-data': Buffer.from(caBundle).toString('base64'),
            },
          },
        ],
        users: [{ user: { token } }],
      })
    }),
  )
})
