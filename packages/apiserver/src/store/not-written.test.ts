import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { thrownBy } from '@machinist/testing/thrown-by'
import { asNotWritten, NotWritten } from './not-written.ts'

describe('a commit that fails', () => {
  it('due to a full disk is NotWritten, with a remedy', () => {
    const database = new DatabaseSync(':memory:')
    database.exec('PRAGMA max_page_count = 3; CREATE TABLE t (x TEXT)')
    const full = thrownBy(() => database.exec('INSERT INTO t VALUES (zeroblob(100000))'))
    const error = asNotWritten(full)
    expect(error).toBeInstanceOf(NotWritten)
    expect((error as Error).message).toBe(
      "the server's disk did not accept the write (database or disk is full): free disk space or repair the disk, then retry",
    )
    database.close()
  })

  it('for other reasons is not converted', () => {
    const database = new DatabaseSync(':memory:')
    const mistake = thrownBy(() => database.exec('INSERT INTO nowhere VALUES (1)'))
    expect(asNotWritten(mistake)).toBe(mistake)
    expect(asNotWritten('text')).toBe('text')
    database.close()
  })
})
