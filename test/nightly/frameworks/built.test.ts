import { describeRecipes } from '../../docs/recipes/http-suite.js'
import { ALL_RECIPES } from './recipes.js'

describeRecipes(ALL_RECIPES.filter(({ isBuilt }) => isBuilt))
