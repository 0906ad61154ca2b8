"""The stages that find hypotheses without a model, and their rule table."""
