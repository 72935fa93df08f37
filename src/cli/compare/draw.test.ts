import { describe, expect, it } from 'vitest'
import {
  directRotation,
  renderedRotation,
  sampleComparison,
  withNode,
} from '../../views/compare/sample.fixture.ts'
import { coloured, plainStyle } from '../style.ts'
import { drawComparison } from './draw.ts'
import type { Comparison } from '../../views/compare/facts.ts'

const drawnAt = (width: number, comparison: Comparison = sampleComparison): string =>
  drawComparison(comparison, { style: plainStyle, width })

const tooLong = (text: string, width: number): string[] =>
  text.split('\n').filter((line) => line.length > width)

describe('both rotations side by side', () => {
  it('on 80 columns', () => {
    expect(drawnAt(80)).toBe(
      `One rotation of kube-apiserver-to-kubelet-signer, delivered in two ways
on clusters of 2 master, 2 worker, 2 infra (paused), waits hurried ×10

                                            4.12's way  4.16's way
                                            (rendered)    (direct)
The signer
  without certificate-issuer                   nothing     nothing
  without certificate-not-after                 new CA      new CA
  → Taking certificate-issuer away changed nothing within 2.0 s; taking
    certificate-not-after away made a new CA.

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
  the daemon's own notes                             1           1
  systemd reloads                                    0           0
  services restarted or reloaded                     0           0
  cordons                                            0           0
  drains                                             0           0
  reboots                                            0           0
  → Either way nobody is cordoned, drained or rebooted, and no service is
    restarted or reloaded. Both write /etc/kubernetes/kubelet-ca.crt.
    OpenShift 4.12 itself writes all that a new config holds, here 10 files and
    2 units, and systemd reloads for it; Machinist writes what differs.
    OpenShift 4.16 itself writes its files again whenever ControllerConfig was
    written, here 5 times; Machinist when they differ.

Paused pool infra
≠ nodes with the new CA                         0 of 2      2 of 2
≠ syncs                                              0           1
≠ the rotation is                            Preparing   Completed
≠ it waits for                                 2 nodes      nobody
≠ nodes with the old CA, in the end             6 of 6      0 of 6
  → Pool infra is paused. Rendered: no new CA on infra-0 and infra-1, and the
    rotation waits for them. Direct: every node has the new CA, and the rotation
    is over.

Time from the trigger
≠ first node has the new CA                      1.1 s       0.6 s
≠ last node has it                               2.4 s       1.2 s
≠ the same at --speed 1, at most                  24 s        12 s
  → Whoever was to have the new CA had it after 2.4 s (rendered) and 1.2 s
    (direct).
    Waits were over 10 times faster than usual: gathering changes before a
    render, spreading reads over nodes, retries. Work was not. So without hurry
    it takes something between the last two rows.

Log of worker-0
  4.12's way (rendered)
    +1.0 s  decided policy="update is due" why="from rendered-worker-c5897123…
            to rendered-worker-7d8ff22e…" next=update
            OpenShift 4.12: Starting update from … to …: &{… files:true …}
    +1.3 s  update applied from=rendered-worker-c5897123…
            to=rendered-worker-7d8ff22e…
            OpenShift 4.12: Node has Desired Config …, skipping reboot
    +1.3 s  decided policy="node is in its config" why="the node is in
            rendered-worker-7d8ff22e…" next=done
            OpenShift 4.12: Update completed for config … and node has been
            successfully uncordoned
  4.16's way (direct)
    +0.6 s  Certificate was synced from controllerconfig resourceVersion 467
            items=kubelet-client-ca
            OpenShift 4.16: the same words

Log of infra-0, which is paused
  4.12's way (rendered)
    not a line
  4.16's way (direct)
    +0.6 s  Certificate was synced from controllerconfig resourceVersion 467
            items=kubelet-client-ca
            OpenShift 4.16: the same words

✓ Both rotations did what they should.
`,
    )
  })

  it('on 60 columns', () => {
    const text = drawnAt(60)
    expect(tooLong(text, 60)).toEqual([])
    expect(text).toContain(`                                      4.12's way  4.16's way
                                      (rendered)    (direct)
The signer
  without certificate-issuer             nothing     nothing
  without certificate-not-after           new CA      new CA
  → Taking certificate-issuer away changed nothing within
    2.0 s; taking certificate-not-after away made a new CA.

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

  it('below one another where there is no room for columns', () => {
    const text = drawnAt(40)
    expect(tooLong(text, 40).filter((line) => !line.includes('rendered-worker-'))).toEqual([])
    expect(text).toContain(`The API
≠ new rendered configs
    rendered  3
    direct    0
`)
  })

  it('on a wide terminal keeps the columns near their names', () => {
    expect(drawnAt(140)).toContain(
      '\n≠ new rendered configs                               3           0\n',
    )
  })

  it('marks what differs by a sign, and where there are colours by those', () => {
    const text = drawComparison(sampleComparison, { style: coloured, width: 80 })
    expect(text).toContain('\u001b[33m≠\u001b[39m \u001b[1mnew rendered configs')
    expect(text).toContain('\n  syncs                                              1           1\n')
    const ansi = new RegExp(String.raw`\u001b\[\d+m`, 'g')
    expect(text.replaceAll(ansi, '')).toBe(drawnAt(80))
  })

  it('says what did not go as it should instead of that it did', () => {
    const reboots = { daemonReloads: 0, services: [], reboots: 1 }
    const rendered = withNode(renderedRotation, 'worker-1', { services: reboots })
    const text = drawnAt(80, { ...sampleComparison, rendered })
    expect(text).toContain('\n≠ reboots                                          0–1           0\n')
    expect(text).toContain('  → Rendered: 1 reboot. Direct: nobody disturbed.')
    expect(text).toMatch(/\n✗ rendered: rebooted worker-1\n$/)
  })

  it('shows no line that nobody logged, and lets no line move the cursor', () => {
    const hostile = { seconds: 0, message: 'a\u001b[2Jb', fields: { x: '', y: 'a "b"' } }
    const direct = withNode(directRotation, 'worker-0', { log: [hostile] })
    const text = drawnAt(80, { ...sampleComparison, direct })
    expect(text).toContain('    +0.0 s  a\\u001b[2Jb x="" y="a \\"b\\""\n\nLog of infra-0')
    expect(text).toContain(
      "Log of infra-0, which is paused\n  4.12's way (rendered)\n    not a line\n",
    )
  })

  it('without hurry, says so', () => {
    const text = drawnAt(80, { ...sampleComparison, speed: 1 })
    expect(text).toContain('on clusters of 2 master, 2 worker, 2 infra (paused)\n')
    expect(text).not.toContain('--speed')
    expect(text).toContain('    Nothing was hurried.\n')
  })
})
