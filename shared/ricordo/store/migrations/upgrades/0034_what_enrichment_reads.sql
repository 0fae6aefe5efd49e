select;  -- enrichment and links read by functions, which are created anew after this step
