import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { thrownBy } from '@machinist/testing/thrown-by'
import { asNotWritten, NotWritten } from './not-written.ts'

describe('a commit that fails', () => {
  it('for lack of room is not written, and says what to do', () => {
    const database = new DatabaseSync(':memory:')
    database.exec('PRAGMA max_page_count = 3; CREATE TABLE t (x TEXT)')
    const full = thrownBy(() => database.exec('INSERT INTO t VALUES (zeroblob(100000))'))
    const error = asNotWritten(full)
    expect(error).toBeInstanceOf(NotWritten)
    expect((error as Error).message).toBe(
      "nothing was written, as the server's disk did not take it (database or disk is full): make room on it or repair it, then try again",
    )
    database.close()
  })

  it('for any other reason stays what it is', () => {
    const database = new DatabaseSync(':memory:')
    const mistake = thrownBy(() => database.exec('INSERT INTO nowhere VALUES (1)'))
    expect(asNotWritten(mistake)).toBe(mistake)
    expect(asNotWritten('text')).toBe('text')
    database.close()
  })
})
