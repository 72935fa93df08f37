import { describe, expect, it } from 'vitest'
import {
  directRotation,
  renderedRotation,
  sampleComparison,
  withNode,
} from '../../../views/compare/sample.fixture.ts'
import { colorStyle, plainStyle } from '../../text/style.ts'
import type { Comparison } from '../../../views/compare/facts.ts'
import { drawComparison } from './draw.ts'

const drawAt = (width: number, comparison: Comparison = sampleComparison): string =>
  drawComparison(comparison, { style: plainStyle, width })

const tooLong = (text: string, width: number): string[] =>
  text.split('\n').filter((line) => line.length > width)

describe('the comparison', () => {
  it('fits 80 columns', () => {
    expect(drawAt(80)).toBe(
      `One rotation of kube-apiserver-to-kubelet-signer with two deliveries
on clusters of 2 master, 2 worker, 2 infra (paused), at speed ×10

                                            as in 4.12  as in 4.16
                                            (rendered)    (direct)
The signer
  without certificate-issuer                   nothing     nothing
  without certificate-not-after                 new CA      new CA
  → Removing certificate-issuer changed nothing within 2.0 s; removing
    certificate-not-after created a new CA.

The API
≠ new rendered configs                               3           0
≠ writes to ControllerConfig                         7           5
≠ reads by each node                             12–13           1
≠ writes by each node                               12           1
  → Rendered: 3 new configs, one for each pool, and 24–25 requests by each node.
    Direct: no new config, and 2 requests by each node.

Each node of master and worker
  syncs                                              1           1
  files written                                      1           1
  state files of the daemon                          1           1
  systemd reloads                                    0           0
  services restarted or reloaded                     0           0
  cordons                                            0           0
  drains                                             0           0
  reboots                                            0           0
  → With both deliveries no node is cordoned, drained or rebooted, and no
    service is restarted or reloaded. Both write /etc/kubernetes/kubelet-ca.crt.
    OpenShift 4.12 writes everything in a new config, here 10 files and 2 units,
    and reloads systemd; Machinist writes only the differences.
    OpenShift 4.16 rewrites its files on every write to ControllerConfig, here 5
    times; Machinist only when they differ.

Paused pool infra
≠ nodes with the new CA                         0 of 2      2 of 2
≠ syncs                                              0           1
≠ phase of the rotation                      Preparing   Completed
≠ waits for                                    2 nodes     no node
≠ nodes with the old CA at the end              6 of 6      0 of 6
  → Pool infra is paused. Rendered: no new CA on infra-0 and infra-1, and the
    rotation waits for them. Direct: every node has the new CA, and the rotation
    is completed.

Time from the trigger
≠ first node has the new CA                      1.1 s       0.6 s
≠ last node has it                               2.4 s       1.2 s
≠ last node at --speed 1, at most                 24 s        12 s
  → All nodes that receive the new CA had it after 2.4 s (rendered) and 1.2 s
    (direct).
    Waiting times were divided by 10: collecting changes before a render,
    spreading reads over nodes, retries. Work was not. At --speed 1 the duration
    is between the last two rows.

Log of worker-0
  as in 4.12 (rendered)
    +1.0 s  decided check="update is due" why="from rendered-worker-c5897123… to
            rendered-worker-7d8ff22e…" next=update
            OpenShift 4.12: Starting update from … to …: &{… files:true …}
    +1.3 s  update applied from=rendered-worker-c5897123…
            to=rendered-worker-7d8ff22e…
            OpenShift 4.12: Node has Desired Config …, skipping reboot
    +1.3 s  decided check="node is in its config" why="the node is in
            rendered-worker-7d8ff22e…" next=done
            OpenShift 4.12: Update completed for config … and node has been
            successfully uncordoned
  as in 4.16 (direct)
    +0.6 s  Certificate was synced from controllerconfig resourceVersion 467
            items=kubelet-client-ca
            OpenShift 4.16: the same message

Log of infra-0, which is paused
  as in 4.12 (rendered)
    no log lines
  as in 4.16 (direct)
    +0.6 s  Certificate was synced from controllerconfig resourceVersion 467
            items=kubelet-client-ca
            OpenShift 4.16: the same message

✓ Both rotations behaved as expected.
`,
    )
  })

  it('fits 60 columns', () => {
    const text = drawAt(60)
    expect(tooLong(text, 60)).toEqual([])
    expect(text).toContain(`                                      as in 4.12  as in 4.16
                                      (rendered)    (direct)
The signer
  without certificate-issuer             nothing     nothing
  without certificate-not-after           new CA      new CA
  → Removing certificate-issuer changed nothing within 2.0
    s; removing certificate-not-after created a new CA.

The API
≠ new rendered configs                         3           0
≠ writes to ControllerConfig                   7           5
≠ reads by each node                       12–13           1
≠ writes by each node                         12           1
  → Rendered: 3 new configs, one for each pool, and 24–25
    requests by each node. Direct: no new config, and 2
    requests by each node.

`)
  })

  it('prints one value per line if columns do not fit', () => {
    const text = drawAt(40)
    expect(tooLong(text, 40).filter((line) => !line.includes('rendered-worker-'))).toEqual([])
    expect(text).toContain(`The API
≠ new rendered configs
    rendered  3
    direct    0
`)
  })

  it('limits the width of labels on a wide terminal', () => {
    expect(drawAt(140)).toContain(
      '\n≠ new rendered configs                               3           0\n',
    )
  })

  it('marks differences with a sign and colors', () => {
    const text = drawComparison(sampleComparison, { style: colorStyle, width: 80 })
    expect(text).toContain('\u001b[33m≠\u001b[39m \u001b[1mnew rendered configs')
    expect(text).toContain('\n  syncs                                              1           1\n')
    const ansi = new RegExp(String.raw`\u001b\[\d+m`, 'g')
    expect(text.replaceAll(ansi, '')).toBe(drawAt(80))
  })

  it('lists failed expectations', () => {
    const reboots = { daemonReloads: 0, services: [], reboots: 1 }
    const rendered = withNode(renderedRotation, 'worker-1', { services: reboots })
    const text = drawAt(80, { ...sampleComparison, rendered })
    expect(text).toContain('\n≠ reboots                                          0–1           0\n')
    expect(text).toContain('  → Rendered: 1 reboot. Direct: no disruption.')
    expect(text).toMatch(/\n✗ rendered: rebooted worker-1\n$/)
  })

  it('shows only logged lines and escapes control characters', () => {
    const hostile = { seconds: 0, message: 'a\u001b[2Jb', fields: { x: '', y: 'a "b"' } }
    const direct = withNode(directRotation, 'worker-0', { log: [hostile] })
    const text = drawAt(80, { ...sampleComparison, direct })
    expect(text).toContain('    +0.0 s  a\\u001b[2Jb x="" y="a \\"b\\""\n\nLog of infra-0')
    expect(text).toContain(
      'Log of infra-0, which is paused\n  as in 4.12 (rendered)\n    no log lines\n',
    )
  })

  it('mentions that --speed 1 does not shorten waiting times', () => {
    const text = drawAt(80, { ...sampleComparison, speed: 1 })
    expect(text).toContain('on clusters of 2 master, 2 worker, 2 infra (paused)\n')
    expect(text).not.toContain('--speed')
    expect(text).toContain('    Waiting times were not shortened.\n')
  })
})
