import { describe, expect, it } from 'vitest'
import { optionsIn } from './boot-entries.ts'
import { kernelArgumentsIn } from './deployment.ts'
import { readOstreeStatus } from './ostree-status.ts'

const one = '118288dffc9aa9ce5f13a3793151f204d4f2badcb2517b3714e3c43e2874219a'
const two = '9ed7bfde78ff7e2c9b1b280eb33a560b30b068e9354ea870a45dca71d3d05027'

describe('ostree admin status', () => {
  it('of ostree 2022.7 is parsed', () => {
    const text = [
      `  debian ${two}.0 (staged)`,
      '    Version: 2',
      '    origin refspec: os/v2',
      `* debian ${one}.0`,
      '    Version: 1',
      '    Unlocked: development',
      '    origin refspec: os/v1',
      `  debian ${one}.1 (rollback)`,
      '    Pinned: yes',
      '    origin: none',
      '',
    ].join('\n')
    expect(readOstreeStatus(text)).toEqual([
      { booted: false, staged: true, osName: 'debian', name: `${two}.0`, refspec: 'os/v2' },
      { booted: true, staged: false, osName: 'debian', name: `${one}.0`, refspec: 'os/v1' },
      { booted: false, staged: false, osName: 'debian', name: `${one}.1` },
    ])
  })

  it('may have no deployments', () => {
    expect(readOstreeStatus('No deployments.\n')).toEqual([])
    expect(readOstreeStatus('')).toEqual([])
  })
})

describe('a boot loader entry', () => {
  it('has one or more lines of options', () => {
    const entry = 'title Debian\nversion 1\noptions root=LABEL=root  rw\noptions\tquiet\nlinux /x\n'
    expect(optionsIn(entry)).toBe('root=LABEL=root  rw quiet')
    expect(optionsIn('title Debian\n')).toBe('')
  })

  it('has kernel arguments of users, and others that are ignored', () => {
    expect(
      kernelArgumentsIn(
        'BOOT_IMAGE=(hd0,gpt3)/x rw ostree=/ostree/boot.1/debian/4fd0/0 a="b c" console=tty0  quiet\n',
      ),
    ).toEqual(['rw', 'a="b c"', 'console=tty0', 'quiet'])
  })
})
