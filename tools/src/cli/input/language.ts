import type { Language } from '../../diagnose/index.js'
import { type Options, unknownWord } from '../command.js'

export const LANGUAGE_OPTION = {
  language: {
    value: 'LANGUAGE',
    help: 'shows the line to change in one language: node, python, go, ruby, php, java, csharp, perl or shell. Default: the language that User-Agent names, or else the three likeliest languages',
  },
} as const satisfies Options

export function parseLanguage(text: string | undefined, languages: readonly Language[]): Language | undefined {
  const language = languages.find((one) => one === text?.toLowerCase())
  if (text !== undefined && language === undefined) throw unknownWord('--language', text, languages)
  return language
}
