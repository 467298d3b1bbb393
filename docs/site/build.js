import { existsSync, watch } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// `npm run docs` builds the site. With --serve, it is served and follows changes of the guides.

const HERE = fileURLToPath(new URL('.', import.meta.url))

// The other modules need these packages, so they are imported later.
for (const [folder, command] of [
  [join(HERE, '../..'), 'npm ci'],
  [HERE, 'npm ci --prefix docs/site'],
]) {
  if (existsSync(join(folder, 'node_modules'))) continue
  console.error(`Packages are missing. Run: ${command}`)
  process.exit(1)
}
const { build, createServer } = await import('vitepress')
const { checkSite } = await import('./check-site.js')
const { stage, stageGuides } = await import('./stage.js')

await stage()
if (process.argv.includes('--serve')) {
  const server = await createServer(HERE)
  await server.listen()
  server.printUrls()
  watch(fileURLToPath(new URL('..', import.meta.url)), { recursive: true }, (_, file) => {
    if (!file?.endsWith('.md') || file.startsWith('site')) return
    try {
      stageGuides()
    } catch (error) {
      console.error(String(error))
    }
  })
} else {
  await build(HERE)
  checkSite(fileURLToPath(new URL('.vitepress/dist', import.meta.url)))
}
