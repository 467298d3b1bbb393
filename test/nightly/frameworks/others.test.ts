import { describeRecipes } from '../../docs/recipes/http-suite.js'
import { RECIPES } from '../../docs/recipes/recipes.js'
import { ALL_RECIPES } from './recipes.js'

// CI runs all other recipes: see test/docs/recipes/http.test.ts.
describeRecipes(ALL_RECIPES.filter((recipe) => !recipe.isBuilt && !RECIPES.includes(recipe)))
