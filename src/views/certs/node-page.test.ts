import { expect, it } from 'vitest'
import { plainStyle } from '../../cli/text/style.ts'
import { drawPage } from '../../cli/commands/certs/draw.ts'
import { now, rotating } from './sample.fixture.ts'
import { nodePage } from './node-page.ts'

it('the page of a node shows its files', () => {
  const page = nodePage(
    {
      name: 'worker-1',
      isReady: true,
      delivery: 'direct',
      lacks: [{ item: 'api-server-ca', why: 'waits for its turn to restart the kubelet' }],
      items: [
        {
          name: 'kubelet-client-ca',
          state: 'Current',
          paths: ['/etc/kubernetes/kubelet-ca.crt'],
          certificates: [
            { fingerprint: 'b', subject: 'OU=openshift, CN=b', notAfter: '2027-11-16T14:05:00Z' },
            { fingerprint: 'a', subject: 'CN=a', notAfter: '2026-11-28T14:05:00Z' },
          ],
          earliestNotAfter: '2026-11-28T14:05:00Z',
          writtenAt: '2026-11-16T14:02:11Z',
          loadedAt: '2026-11-15T14:02:12Z',
          source: {
            kind: 'ControllerConfig',
            name: 'machine-config-controller',
            fieldPath: 'spec.kubeAPIServerServingCAData',
          },
        },
        { name: 'api-server-ca', state: 'Lagging', message: 'the kubelet does not know it yet' },
      ],
    },
    { ...rotating, unread: ['MachineConfigPools: no permission to read'] },
  )
  expect(drawPage(page, { style: plainStyle, width: 100, now })).toBe(
    `Certificates of worker-1 (Ready, direct delivery)

Missing
└─ ! api-server-ca: waits for its turn to restart the kubelet

kubelet-client-ca
├─ state   Current
├─ file    /etc/kubernetes/kubelet-ca.crt
│          written 14:02, loaded 2026-11-15 14:02, first expiry 2026-11-28
├─ from    ControllerConfig machine-config-controller spec.kubeAPIServerServingCAData
├─   12 d left  ! a
└─  365 d left  b

api-server-ca
└─ state   ! Lagging: the kubelet does not know it yet

Not read
└─ ! MachineConfigPools: no permission to read
`,
  )
})

it('the page of a node without a report', () => {
  const view = { name: 'worker-9', isReady: undefined, lacks: [] }
  expect(nodePage(view, rotating)).toEqual({
    title: 'Certificates of worker-9',
    blocks: [
      { text: 'Missing', children: [{ text: 'nothing', severity: 'well' }] },
      { text: 'This node has not reported which CAs it trusts' },
    ],
  })
})
