/** Whether the controller has begun to write since its start. */
export class FirstPass {
  #isOver = false

  get isOver(): boolean {
    return this.#isOver
  }

  end(): void {
    this.#isOver = true
  }
}
