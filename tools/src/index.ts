export { captureRequest, type RequestHead } from './capture/capture-request.js'
export {
  type Diagnosis,
  type Finding,
  type FindingCode,
  LANGUAGES,
  type Language,
  type Side,
} from './diagnose/finding.js'
export { diagnose, type RequestToExplain } from './diagnose/index.js'
export { explain } from './explain.js'
