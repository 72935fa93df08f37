import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseSize, defaultSize } from '../../../devcluster/size/cluster-size.ts'
import { apiLines, hints } from './welcome.ts'

const far = { examples: '/e', program: 'machinist', log: '/l' }

describe('hints', () => {
  it('use relative paths for nearby files and for this program', () => {
    const log = resolve('data/up.log')
    const paths = { examples: resolve('examples'), program: resolve('bin/machinist'), log }
    const text = hints(paths, defaultSize)
    expect(text).toContain('\n  kubectl apply -f examples/without-reboot.yaml\n')
    expect(text).toContain('\n  bin/machinist rotate kube-apiserver-to-kubelet --watch ')
    expect(text).toContain('Logs: data/up.log\n')
  })

  it('keep the names of installed programs and absolute paths elsewhere', () => {
    expect(hints(far, defaultSize)).toContain(
      '\n  machinist rotate kube-apiserver-to-kubelet --watch ',
    )
    expect(hints(far, defaultSize)).toContain('kubectl apply -f /e/bad.yaml')
  })

  it('name only nodes and pools that exist', () => {
    const alone = hints(far, parseSize('1'))
    expect(alone).not.toContain('worker')
    expect(alone).not.toContain('/e/kernel-argument.yaml')
    expect(alone).toContain('annotate node master-0 sandbox.machinist.dev/fault=power-off')
    expect(hints(far, parseSize('1,1'))).toContain('kubectl cordon worker-0')
  })
})

describe('the first lines', () => {
  const api = { url: 'https://127.0.0.1:1', kubeconfig: '/d/kubeconfig' }

  it('show how to reach the cluster', () => {
    expect(apiLines(api, { type: 'onPath' })).toContain(
      '\n  export KUBECONFIG=/d/kubeconfig\n  kubectl get mcp,nodes\n',
    )
  })

  it('offer a kubectl if none is on PATH', () => {
    expect(apiLines(api, { type: 'found', path: '/cache/k/kubectl' })).toContain(
      '\n  export PATH="/cache/k:$PATH"   # kubectl is not on your PATH\n',
    )
    expect(apiLines(api, { type: 'missing', script: resolve('scripts/kubectl.sh') })).toContain(
      '\n  export PATH="$(dirname "$(scripts/kubectl.sh --fetch)"):$PATH" ',
    )
    expect(apiLines(api, { type: 'missing' })).toContain('install 1.32 or newer')
  })
})
