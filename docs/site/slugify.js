/**
 * Returns the anchor that GitHub gives a heading, so that a link works there and on the site.
 *
 * @param {string} heading
 */
export function slugify(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
}
