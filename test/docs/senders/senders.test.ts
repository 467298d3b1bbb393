import { isInstalled } from '../../support/programs.js'
import { ALL } from './harness.js'
import { describeSenders } from './suite.js'

// The nightly tests run the programs in all languages.
const LANGUAGES = ['Node', 'Python', 'a shell']

describeSenders(
  ALL.filter(({ language, needs }) => LANGUAGES.includes(language) && needs.every((name) => isInstalled(name))),
)
