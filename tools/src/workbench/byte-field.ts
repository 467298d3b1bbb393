import { utf8 } from '../bytes.js'
import { countBytes } from '../text.js'
import { byId, h } from './dom.js'

const MAX_BYTES = 64 * 2 ** 20

/** A field in which the user types text or chooses a file. The bytes of a file are used unchanged. */
export class ByteField {
  readonly #text: HTMLTextAreaElement
  readonly #file: HTMLInputElement
  readonly #chosen: HTMLElement
  #bytes: Uint8Array | undefined

  /** @param id - the ID of the text area. The other elements have the IDs `<id>-file` and `<id>-chosen`. */
  constructor(id: string, onChange: () => void) {
    this.#text = byId<HTMLTextAreaElement>(id)
    this.#file = byId<HTMLInputElement>(`${id}-file`)
    this.#chosen = byId(`${id}-chosen`)
    this.#text.addEventListener('input', onChange)
    this.#file.addEventListener('change', () => void this.#read(onChange))
  }

  get isEmpty(): boolean {
    return this.#bytes === undefined && this.#text.value === ''
  }

  get isFile(): boolean {
    return this.#bytes !== undefined
  }

  get bytes(): Uint8Array {
    return this.#bytes ?? utf8(this.#text.value)
  }

  setText(text: string): void {
    this.#bytes = undefined
    this.#file.value = ''
    this.#chosen.replaceChildren()
    this.#text.disabled = false
    this.#text.value = text
  }

  async #read(onChange: () => void): Promise<void> {
    const file = this.#file.files?.[0]
    if (file === undefined) return
    this.setText('')
    if (file.size > MAX_BYTES) {
      this.#chosen.replaceChildren(`${file.name} is larger than 64 MiB.`)
      return
    }
    this.#bytes = new Uint8Array(await file.arrayBuffer())
    this.#text.disabled = true
    const remove = h('button', { type: 'button' }, 'Remove the file')
    remove.addEventListener('click', () => {
      this.setText('')
      onChange()
      this.#text.focus()
    })
    this.#chosen.replaceChildren(`${file.name}, ${countBytes(this.#bytes.length)}, used byte by byte. `, remove)
    onChange()
  }
}
