import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { hints } from './welcome.ts'

it('names what is near by the way from here, and this program as it can be called', () => {
  const log = resolve('data/up.log')
  const said = hints({ examples: resolve('examples'), program: resolve('bin/machinist'), log })
  expect(said).toContain('\n  kubectl apply -f examples/without-reboot.yaml\n')
  expect(said).toContain('\n  bin/machinist rotate kube-apiserver-to-kubelet --watch ')
  expect(said).toContain('Logs are in data/up.log.')
})

it('leaves names of installed programs and places far away as they are', () => {
  const far = { examples: '/e', program: 'machinist', log: '/l' }
  expect(hints(far)).toContain('\n  machinist rotate kube-apiserver-to-kubelet --watch ')
  expect(hints(far)).toContain('kubectl apply -f /e/bad.yaml')
})
