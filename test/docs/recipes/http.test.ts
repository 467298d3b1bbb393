import { describeRecipes } from './http-suite.js'
import { RECIPES } from './recipes.js'

describeRecipes(RECIPES)
