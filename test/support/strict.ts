/** Some settings are stricter than `strict`, and `erasableSyntaxOnly` forbids syntax that needs a compiler. */
export const STRICT = {
  target: 'es2023',
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noImplicitReturns: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
  skipLibCheck: true,
  noEmit: true,
}
